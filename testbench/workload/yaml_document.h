#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

struct YamlNode;
using YamlRef = std::shared_ptr<const YamlNode>;

/// A value of a YAML document and the line it stands in. An alias is the node of its anchor, so nodes may be shared.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  std::size_t line = 0;                              ///< from 1
  std::string text;                                  ///< of a scalar
  std::vector<YamlRef> items;                        ///< of a sequence
  std::vector<std::pair<YamlRef, YamlRef>> entries;  ///< of a map, in the order of the file
  std::size_t height = 1;                            ///< levels, itself included
  std::size_t size = 1;                              ///< values, each alias counted as a copy

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
};

/// What a YAML file may hold: time and memory of its reader are bounded by these.
struct YamlLimits {
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  static constexpr std::size_t values = 100'000;  ///< of a file, each alias counted as a copy
  static constexpr std::size_t depth = 32;        ///< levels, those behind aliases included
  static constexpr std::size_t text = 16 * 1024;  ///< bytes of one value
};

/// The documents of a YAML text; `path` stands in front of errors. Throws InputError with path and line.
std::vector<YamlRef> parse_yaml(const std::string& text, const std::string& path);

/// The only document of a YAML text, a map; items of the list at `key` are handed to `take` one after another, and not kept:
/// limits hold for each of them, and for the rest. Throws InputError with path and line.
YamlRef stream_yaml(const std::string& text, const std::string& path, const std::string& key,
                    const std::function<void(const YamlNode&)>& take);

/// The documents of a YAML file. Throws InputError with path and line.
std::vector<YamlRef> read_yaml(const std::string& path);

}  // namespace tributary
