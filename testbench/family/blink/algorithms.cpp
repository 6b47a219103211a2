#include "testbench/family/blink/algorithms.h"

#include <stdexcept>

namespace tributary {
namespace {

using collective::GeneratedTrees;
using collective::KeptTrees;
using collective::TreeOptions;

const GeneratedTrees& from_root(KeptTrees& kept, const topology::Allocation& allocation, int root,
                                const TreeOptions& options) {
  return kept.broadcast(allocation, root, options);
}
const GeneratedTrees& there_and_back(KeptTrees& kept, const topology::Allocation& allocation, int,
                                     const TreeOptions& options) {
  return kept.allreduce(allocation, options);
}
double one_link(int) { return 1; }
/// Each rank sends (ranks - 1)/ranks of the message twice.
double sent_twice(int ranks) { return ranks / (2.0 * (ranks - 1)); }

}  // namespace

const std::vector<TreeAlgorithm>& tree_algorithms() {
  using collective::TreeUse;
  static const char* const hybrid = "trees of blink, with a part of the message over PCIe at the same time";
  static const std::vector<TreeAlgorithm> algorithms{
      {{"allreduce", "blink", "reduces up and broadcasts down spanning trees packed into both directions of the links"},
       TreeUse::allreduce,
       false,
       false,
       there_and_back,
       sent_twice},
      {{"broadcast", "blink", "sends down trees from the root that are packed into the directed links"},
       TreeUse::broadcast,
       false,
       true,
       from_root,
       one_link},
      {{"reduce", "blink", "adds up the trees of a broadcast"}, TreeUse::reduce, false, true, from_root, one_link},
      {{"gather", "blink", "sends each rank's slice up the trees of a broadcast"},
       TreeUse::gather,
       false,
       true,
       from_root,
       nullptr},
      {{"allgather", "blink", "sends each rank's slice along the trees of an all-reduce"},
       TreeUse::allgather,
       false,
       false,
       there_and_back,
       nullptr},
      {{"reduce_scatter", "blink", "adds each slice along the trees of an all-reduce towards its rank"},
       TreeUse::reduce_scatter,
       false,
       false,
       there_and_back,
       nullptr},
      {{"allreduce", "blink_hybrid", hybrid}, TreeUse::allreduce, true, false, there_and_back, nullptr},
      {{"broadcast", "blink_hybrid", hybrid}, TreeUse::broadcast, true, true, from_root, nullptr},
      {{"reduce", "blink_hybrid", hybrid}, TreeUse::reduce, true, true, from_root, nullptr},
  };
  return algorithms;
}

const TreeAlgorithm& tree_algorithm(const std::string& collective, const std::string& algorithm) {
  for (const TreeAlgorithm& row : tree_algorithms())
    if (row.algorithm.collective == collective && row.algorithm.name == algorithm) return row;
  throw std::invalid_argument("unknown " + collective + " algorithm '" + algorithm + "' of trees");
}

}  // namespace tributary
