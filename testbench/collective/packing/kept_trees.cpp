#include "testbench/collective/packing/kept_trees.h"

#include <utility>

namespace tributary::collective {

// The binding fails to compile if TreeOptions has a field that is not part of the key.
KeptTrees::Key KeptTrees::key_of(const topology::Allocation& allocation, int root, const TreeOptions& options) {
  const auto& [epsilon, threshold, finest, least_depth, common_root] = options;
  return {allocation.links, root, epsilon, threshold, finest, least_depth, common_root};
}

const GeneratedTrees& KeptTrees::broadcast(const topology::Allocation& allocation, int root, const TreeOptions& options) {
  Key key = key_of(allocation, root, options);
  const auto known = kept_.find(key);
  if (known != kept_.end()) return known->second;
  return kept_.emplace(std::move(key), broadcast_trees(allocation, root, options)).first->second;
}

const GeneratedTrees& KeptTrees::allreduce(const topology::Allocation& allocation, const TreeOptions& options) {
  constexpr int no_root = -1;
  Key key = key_of(allocation, no_root, options);
  const auto known = kept_.find(key);
  if (known != kept_.end()) return known->second;
  return kept_.emplace(std::move(key), allreduce_trees(allocation, options)).first->second;
}

}  // namespace tributary::collective
