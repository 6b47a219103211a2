#include "platforms/topology/islands.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace tributary::topology {

Graph islands(const Graph& machine, int count) {
  if (count < 1) throw std::invalid_argument("a graph of " + std::to_string(count) + " islands (legal: at least 1)");
  std::map<NodeKind, int> of_kind;
  for (const Node& node : machine.nodes()) ++of_kind[node.kind];
  Graph all;
  for (int island = 0; island < count; ++island) {
    const auto first = static_cast<int>(all.nodes().size());
    for (Node node : machine.nodes()) {
      node.index += island * of_kind[node.kind];
      node.island = island;
      if (node.kind == NodeKind::gpu)
        node.name = "gpu" + std::to_string(node.index);
      else if (count > 1)
        node.name = "server" + std::to_string(island) + "_" + node.name;
      all.add_node(std::move(node));
    }
    for (const Link& link : machine.links())
      all.connect({first + link.a.node, link.a.port}, {first + link.b.node, link.b.port});
  }
  return all;
}

}  // namespace tributary::topology
