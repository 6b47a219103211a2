#pragma once
/// Access to the maps of the file of an exploration, with errors that name file and line.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/workload/yaml_document.h"

namespace tributary {

class ExploreNode {
 public:
  /// `what` names the node in errors. The node outlives this object.
  ExploreNode(std::string path, const YamlNode& node, std::string what)
      : path_(std::move(path)), node_(&node), what_(std::move(what)) {}

  const YamlNode& node() const { return *node_; }
  std::string where() const { return path_ + ":" + std::to_string(node_->line) + (what_.empty() ? "" : ": " + what_); }
  [[noreturn]] void fail(const std::string& fault) const;

  /// Throws InputError unless the node is a map with keys of `legal`.
  void require_map(const std::vector<std::string>& legal) const;
  /// Throws InputError with all keys that are missing.
  void require_keys(const std::vector<std::string>& keys) const;
  void require_map() const;
  void require_list() const;
  bool has(const std::string& key) const;
  /// Returns the value of a key. Throws InputError if it is missing.
  ExploreNode at(const std::string& key) const;
  /// Returns the entries of a map, or the items of a list.
  std::vector<std::pair<std::string, ExploreNode>> entries() const;
  std::vector<ExploreNode> items() const;

  const std::string& text() const;
  std::uint64_t count(std::uint64_t least, std::uint64_t most) const;
  double share() const;  ///< a number from 0 to 1
  std::string one_of(const std::vector<std::string>& legal) const;

 private:
  const YamlNode* find(const std::string& key) const;

  std::string path_;
  const YamlNode* node_;
  std::string what_;
};

}  // namespace tributary
