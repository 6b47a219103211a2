#include "testbench/family/blink/methods.h"

namespace tributary {
namespace {

collective::GeneratedTrees from_root(const topology::Allocation& allocation, int root) {
  return collective::broadcast_trees(allocation, root);
}
collective::GeneratedTrees there_and_back(const topology::Allocation& allocation, int) {
  return collective::allreduce_trees(allocation);
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
  };
  return methods;
}

}  // namespace tributary
