#pragma once
/// KeptTrees: TreeGen's packings, each of which is searched once (docs/systems/blink.md#trees).

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "testbench/collective/packing/tree_generator.h"

namespace tributary::collective {

/// Keeps packings by all that a search depends on: the NVLinks between ranks, the root and the options. The numbers of the
/// GPUs are not part of it.
class KeptTrees {
 public:
  /// Return the packing of broadcast_trees() or allreduce_trees(), which it searches at the first call. The reference is
  /// valid as long as this object. Throw as these functions do.
  const GeneratedTrees& broadcast(const topology::Allocation& allocation, int root, const TreeOptions& options);
  const GeneratedTrees& allreduce(const topology::Allocation& allocation, const TreeOptions& options);

  /// Returns the number of searches.
  std::size_t searches() const { return kept_.size(); }

 private:
  /// NVLinks of each pair of ranks, root (-1: none), and the fields of TreeOptions.
  using Key = std::tuple<std::vector<std::vector<int>>, int, double, double, std::int64_t, bool, bool>;

  static Key key_of(const topology::Allocation& allocation, int root, const TreeOptions& options);

  std::map<Key, GeneratedTrees> kept_;
};

}  // namespace tributary::collective
