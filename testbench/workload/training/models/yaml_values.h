#pragma once
/// Typed values of a YAML document; errors give the position and the legal values.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/workload/yaml_document.h"

namespace tributary::training {

/// Reads a file of at most YamlLimits::bytes. Throws InputError.
std::string read_text(const std::string& path);

/// Reads the values of one document.
class YamlValues {
 public:
  /// Takes the file name `where`, which begins error texts.
  explicit YamlValues(std::string where) : where_(std::move(where)) {}

  /// Parses a text of exactly one document. Throws InputError.
  YamlRef document(const std::string& text) const;

  /// Checks that `node` is a map with each key at most once and all keys in `legal`. Throws InputError.
  void check_map(const YamlNode& node, const std::string& what, const std::vector<std::string>& legal) const;
  /// Returns the value of a key of a map; null if it is absent.
  static const YamlNode* find(const YamlNode& map, const std::string& key);
  /// Returns the value of a key. Throws InputError if it is absent.
  const YamlNode& at(const YamlNode& map, const std::string& what, const std::string& key) const;

  std::string text(const YamlNode& node, const std::string& what) const;
  /// Returns a whole number from `least` to `most`.
  std::uint64_t number(const YamlNode& node, const std::string& what, std::uint64_t least, std::uint64_t most) const;
  /// Returns the number of heads with keys and values, each of which serves as many of `heads`.
  std::uint64_t key_heads(const YamlNode& node, std::uint64_t heads) const;
  std::vector<std::uint64_t> numbers(const YamlNode& node, const std::string& what, std::uint64_t least,
                                     std::uint64_t most) const;
  std::vector<std::string> texts(const YamlNode& node, const std::string& what) const;

  /// Returns `where:line`.
  std::string place(const YamlNode& node) const { return where_ + ":" + std::to_string(node.line); }
  [[noreturn]] void fail(const YamlNode& node, const std::string& what) const;

 private:
  std::string where_;
};

}  // namespace tributary::training
