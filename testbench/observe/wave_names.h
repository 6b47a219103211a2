#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Names of a wire's values, from 0 on, in a file of their own beside the save file.
class WaveNames {
 public:
  static constexpr unsigned width = 16;  ///< bits of the wire

  /// By name, as GTKWave wants it before one: `?Red?`.
  using Colours = std::map<std::string, std::string>;

  WaveNames(std::string file, std::vector<std::string> names, const Colours& colours = {})
      : file_(std::move(file)), names_(std::move(names)), colours_(colours) {}
  /// A name that is new is added.
  std::uint64_t number_of(const std::string& name);
  /// Without its folder.
  std::string file() const;
  /// With the colours in which GTKWave fills their boxes.
  void write() const;

 private:
  std::string file_;
  std::vector<std::string> names_;
  Colours colours_;
};

}  // namespace tributary
