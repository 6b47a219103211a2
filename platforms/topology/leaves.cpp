#include "platforms/topology/leaves.h"

namespace tributary::topology {

Graph Leaves::graph(const std::string& prefix) const {
  Graph graph;
  for (int i = 0; i < gpus(); ++i) graph.add_node({NodeKind::gpu, "gpu" + std::to_string(i), planes, i / slots, -1, i});
  for (int g = 0; g < groups; ++g)
    for (int k = 0; k < planes; ++k)
      graph.add_node({NodeKind::switch_node, prefix + std::to_string(g) + "_" + std::to_string(k), slots + trunks, g, k,
                      g * planes + k});
  for (int i = 0; i < gpus(); ++i)
    for (int k = 0; k < planes; ++k) graph.connect({i, k}, {leaf(i / slots, k), i % slots});
  return graph;
}

}  // namespace tributary::topology
