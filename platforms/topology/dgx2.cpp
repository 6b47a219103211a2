#include "platforms/topology/dgx2.h"

namespace tributary::topology {

Graph dgx2() {
  constexpr int boards = 2, slots = 8, planes = 6, trunks = 8;
  const auto gpu = [](int i) { return i; };
  const auto switch_at = [](int g, int k) { return boards * slots + g * planes + k; };

  Graph graph;
  for (int i = 0; i < boards * slots; ++i)
    graph.add_node({NodeKind::gpu, "gpu" + std::to_string(i), planes, i / slots, -1, i});
  for (int g = 0; g < boards; ++g)
    for (int k = 0; k < planes; ++k)
      graph.add_node({NodeKind::switch_node, "switch" + std::to_string(g) + "_" + std::to_string(k), slots + trunks, g, k,
                      g * planes + k});

  for (int i = 0; i < boards * slots; ++i)
    for (int k = 0; k < planes; ++k) graph.connect({gpu(i), k}, {switch_at(i / slots, k), i % slots});
  for (int k = 0; k < planes; ++k)
    for (int j = 0; j < trunks; ++j) graph.connect({switch_at(0, k), slots + j}, {switch_at(1, k), slots + j});
  return graph;
}

}  // namespace tributary::topology
