#include "platforms/block_factories.h"

#include "modules/base/nearest.h"
#include "modules/blockcheck/core/block_access.h"

namespace tributary {

std::vector<std::string> BlockFactories::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

void BlockFactories::add(const BlockFactories& others) {
  for (const auto& [name, entry] : others.entries_) insert(name, entry);
}

void BlockFactories::add(const BlockFactories& others, const std::string& name) {
  const auto found = others.entries_.find(name);
  if (found == others.entries_.end()) throw std::invalid_argument(unknown_name("block", name, others.names()));
  insert(name, found->second);
}

std::vector<std::shared_ptr<BlockTap>> BlockFactories::taps_of(const std::string& name) const {
  std::vector<std::shared_ptr<BlockTap>> all;
  for (const auto& tap : taps_)
    if (tap->wants(name)) all.push_back(tap);
  return all;
}

}  // namespace tributary
