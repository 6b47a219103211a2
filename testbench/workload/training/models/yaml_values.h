#pragma once
/// Values of a YAML document as a reader wants them; errors with place and what is legal.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/workload/yaml_document.h"

namespace tributary::training {

/// The text of a file of at most YamlLimits::bytes. Throws InputError.
std::string read_text(const std::string& path);

/// Reads the values of one document.
class YamlValues {
 public:
  /// `where`: the file's name, in front of errors.
  explicit YamlValues(std::string where) : where_(std::move(where)) {}

  /// The only document of a text. Throws InputError.
  YamlRef document(const std::string& text) const;

  /// `node` is a map, each key once and one of `legal`. Throws InputError.
  void check_map(const YamlNode& node, const std::string& what, const std::vector<std::string>& legal) const;
  /// The value of a key of a map; null where it is absent.
  static const YamlNode* find(const YamlNode& map, const std::string& key);
  /// Throws InputError where the key is absent.
  const YamlNode& at(const YamlNode& map, const std::string& what, const std::string& key) const;

  std::string text(const YamlNode& node, const std::string& what) const;
  /// A whole number from `least` to `most`.
  std::uint64_t number(const YamlNode& node, const std::string& what, std::uint64_t least, std::uint64_t most) const;
  std::vector<std::uint64_t> numbers(const YamlNode& node, const std::string& what, std::uint64_t least,
                                     std::uint64_t most) const;
  std::vector<std::string> texts(const YamlNode& node, const std::string& what) const;

  /// `where:line`.
  std::string place(const YamlNode& node) const { return where_ + ":" + std::to_string(node.line); }
  [[noreturn]] void fail(const YamlNode& node, const std::string& what) const;

 private:
  std::string where_;
};

}  // namespace tributary::training
