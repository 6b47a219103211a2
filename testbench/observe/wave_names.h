#pragma once
/// WaveNames: names of the values of a waveform's wire.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Names of a wire's values, from 0 on, in a separate file in the folder of the save file.
class WaveNames {
 public:
  static constexpr unsigned width = 16;  ///< bits of the wire

  /// By name, in GTKWave's notation: `?Red?`.
  using Colours = std::map<std::string, std::string>;

  WaveNames(std::string file, std::vector<std::string> names, const Colours& colours = {})
      : file_(std::move(file)), names_(std::move(names)), colours_(colours) {}
  /// Returns the number of a name; new names are added.
  std::uint64_t number_of(const std::string& name);
  /// Returns the name of a number; numbers without a name are returned as text.
  std::string name_of(std::uint64_t number) const {
    return number < names_.size() ? names_[number] : std::to_string(number);
  }
  /// Returns the file name without its folder.
  std::string file() const;
  /// Writes the file, including the colours in which GTKWave fills the boxes.
  void write() const;

 private:
  std::string file_;
  std::vector<std::string> names_;
  Colours colours_;
};

}  // namespace tributary
