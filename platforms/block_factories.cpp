#include "platforms/block_factories.h"

#include "modules/base/nearest.h"

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

}  // namespace tributary
