#include "platforms/topology/dgx2.h"

#include "platforms/topology/leaves.h"

namespace tributary::topology {

Graph dgx2() {
  const Leaves boards{2};
  Graph graph = boards.graph("switch");
  for (int k = 0; k < Leaves::planes; ++k)
    for (int j = Leaves::slots; j < Leaves::slots + Leaves::trunks; ++j)
      graph.connect({boards.leaf(0, k), j}, {boards.leaf(1, k), j});
  return graph;
}

}  // namespace tributary::topology
