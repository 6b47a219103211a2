#pragma once
/// YAML documents as trees of nodes with line numbers, read with size limits.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

struct YamlNode;
using YamlRef = std::shared_ptr<const YamlNode>;

/// A value of a YAML document with its line. An alias is the node of its anchor, so nodes may be shared.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  std::size_t line = 0;                              ///< from 1
  std::string text;                                  ///< value of a scalar
  std::vector<YamlRef> items;                        ///< items of a sequence
  std::vector<std::pair<YamlRef, YamlRef>> entries;  ///< entries of a map, in file order
  std::size_t height = 1;                            ///< levels, itself included
  std::size_t size = 1;                              ///< values, each alias counted as a copy

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
};

/// Limits of a YAML file, which bound the time and memory of its reader.
struct YamlLimits {
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  static constexpr std::size_t values = 100'000;  ///< values of a file, each alias counted as a copy
  static constexpr std::size_t depth = 32;        ///< levels, including those of aliased nodes
  static constexpr std::size_t text = 16 * 1024;  ///< bytes of one value
};

/// Parses the documents of a YAML text; errors begin with `path`. Throws InputError with path and line.
std::vector<YamlRef> parse_yaml(const std::string& text, const std::string& path);

/// Parses the only document of a YAML text, a map. The items of the list at `key` are passed to `take` one by one and not
/// kept: limits apply to each item, and to the rest. Throws InputError with path and line.
YamlRef stream_yaml(const std::string& text, const std::string& path, const std::string& key,
                    const std::function<void(const YamlNode&)>& take);

/// Reads the documents of a YAML file. Throws InputError with path and line.
std::vector<YamlRef> read_yaml(const std::string& path);

}  // namespace tributary
