#include "testbench/family/blink/methods.h"

#include <stdexcept>

namespace tributary {
namespace {

using collective::TreeOptions;

collective::GeneratedTrees from_root(const topology::Allocation& allocation, int root, const TreeOptions& options) {
  return collective::broadcast_trees(allocation, root, options);
}
collective::GeneratedTrees there_and_back(const topology::Allocation& allocation, int, const TreeOptions& options) {
  return collective::allreduce_trees(allocation, options);
}
double one_link(int) { return 1; }
/// Each rank sends (ranks - 1)/ranks of the message twice.
double sent_twice(int ranks) { return ranks / (2.0 * (ranks - 1)); }

}  // namespace

const std::vector<TreeMethod>& tree_methods() {
  static const std::vector<TreeMethod> methods{
      {{"allreduce", "blink", "up and down spanning trees packed into both directions of the links"},
       collective::TreeUse::allreduce,
       false,
       there_and_back,
       sent_twice},
      {{"broadcast", "blink", "down trees from the root packed into the directed links"},
       collective::TreeUse::broadcast,
       true,
       from_root,
       one_link},
      {{"reduce", "blink", "up the trees of a broadcast"}, collective::TreeUse::reduce, true, from_root, one_link},
      {{"gather", "blink", "parts up the trees of a broadcast"}, collective::TreeUse::gather, true, from_root, nullptr},
      {{"allgather", "blink", "parts from their ranks along the trees of an all-reduce"},
       collective::TreeUse::allgather,
       false,
       there_and_back,
       nullptr},
      {{"reduce_scatter", "blink", "sums along the trees of an all-reduce to the ranks of their parts"},
       collective::TreeUse::reduce_scatter,
       false,
       there_and_back,
       nullptr},
  };
  return methods;
}

const TreeMethod& tree_method(const std::string& collective, const std::string& algorithm) {
  for (const TreeMethod& row : tree_methods())
    if (row.method.collective == collective && row.method.name == algorithm) return row;
  throw std::invalid_argument("no trees carry " + collective + " by " + algorithm);
}

}  // namespace tributary
