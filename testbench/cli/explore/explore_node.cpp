#include "testbench/cli/explore/explore_node.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "testbench/cli/requests/option_text.h"

namespace tributary {

void ExploreNode::fail(const std::string& fault) const { throw InputError(where() + ": " + fault); }

void ExploreNode::require_map() const {
  if (!node_->is_map()) fail("a map of keys is expected");
  for (const auto& [name, value] : node_->entries)
    if (!name->is_scalar()) fail("a key is a scalar name");
}

void ExploreNode::require_map(const std::vector<std::string>& legal) const {
  if (!node_->is_map()) fail("a map of keys is expected (legal: " + join_names(legal) + ")");
  require_map();
  for (const auto& [name, value] : node_->entries)
    if (std::find(legal.begin(), legal.end(), name->text) == legal.end())
      ExploreNode(path_, *name, what_).fail(unknown_name("key", name->text, legal));
}

void ExploreNode::require_keys(const std::vector<std::string>& keys) const {
  std::vector<std::string> missing;
  for (const std::string& key : keys)
    if (!has(key)) missing.push_back("`" + key + "`");
  if (missing.empty()) return;
  const std::string all = join_names(missing, "and");
  fail(missing.size() == 1 ? "the key " + all + " is missing" : "the keys " + all + " are missing");
}

void ExploreNode::require_list() const {
  if (!node_->is_sequence() || node_->items.empty()) fail("a list is expected (legal: at least one item)");
}

const YamlNode* ExploreNode::find(const std::string& key) const {
  if (!node_->is_map()) return nullptr;
  for (const auto& [name, value] : node_->entries)
    if (name->is_scalar() && name->text == key) return value.get();
  return nullptr;
}

bool ExploreNode::has(const std::string& key) const { return find(key) != nullptr; }

ExploreNode ExploreNode::at(const std::string& key) const {
  const YamlNode* const value = find(key);
  if (value == nullptr) fail("the key `" + key + "` is missing");
  return {path_, *value, what_.empty() ? key : what_ + "." + key};
}

std::vector<std::pair<std::string, ExploreNode>> ExploreNode::entries() const {
  require_map();
  std::vector<std::pair<std::string, ExploreNode>> all;
  for (const auto& [name, value] : node_->entries)
    all.emplace_back(name->text, ExploreNode(path_, *value, what_ + "." + name->text));
  return all;
}

std::vector<ExploreNode> ExploreNode::items() const {
  require_list();
  std::vector<ExploreNode> all;
  for (const YamlRef& item : node_->items) all.emplace_back(path_, *item, what_);
  return all;
}

const std::string& ExploreNode::text() const {
  if (!node_->is_scalar()) fail("one value is expected");
  return node_->text;
}

std::uint64_t ExploreNode::count(std::uint64_t least, std::uint64_t most) const {
  return with_place(where(), [&] { return parse_count_within(text(), least, most); });
}

double ExploreNode::share() const {
  const double share = with_place(where(), [&] { return parse_real(text()); });
  if (!(share >= 0 && share <= 1)) fail("'" + text() + "' is no share (legal: 0 to 1)");
  return share;
}

std::string ExploreNode::one_of(const std::vector<std::string>& legal) const {
  if (std::find(legal.begin(), legal.end(), text()) == legal.end())
    fail("'" + text() + "' is not legal (legal: " + join_names(legal) + ")");
  return text();
}

}  // namespace tributary
