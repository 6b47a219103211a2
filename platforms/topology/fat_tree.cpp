#include "platforms/topology/fat_tree.h"

#include "platforms/topology/leaves.h"

namespace tributary::topology {

Graph fat_tree() {
  const Leaves leaves{16};
  Graph graph = leaves.graph("leaf");
  int index = leaves.count();
  for (int k = 0; k < Leaves::planes; ++k)
    for (int j = 0; j < Leaves::trunks; ++j) {
      const int spine = graph.add_node({NodeKind::switch_node, "spine" + std::to_string(j) + "_" + std::to_string(k),
                                        leaves.groups, no_group, k, index++});
      for (int g = 0; g < leaves.groups; ++g) graph.connect({leaves.leaf(g, k), Leaves::slots + j}, {spine, g});
    }
  return graph;
}

}  // namespace tributary::topology
