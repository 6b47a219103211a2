#include "platforms/topology/indirect.h"

namespace tributary::topology {
namespace {

/// Switches with NICs; NICs come first. NIC i is on port i mod per_switch of switch i / per_switch.
Graph switches_with_nics(int per_switch, const std::vector<std::string>& names, int further_ports) {
  Graph graph;
  const int nics = per_switch * static_cast<int>(names.size());
  for (int i = 0; i < nics; ++i) graph.add_node({NodeKind::nic, "nic" + std::to_string(i), 1, i / per_switch, -1, i});
  for (int s = 0; s < static_cast<int>(names.size()); ++s)
    graph.add_node({NodeKind::switch_node, names[static_cast<std::size_t>(s)], per_switch + further_ports, s, 0, s});
  for (int i = 0; i < nics; ++i) graph.connect({i, 0}, {nics + i / per_switch, i % per_switch});
  return graph;
}

std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(name + std::to_string(i));
  return names;
}

}  // namespace

Graph dgx2_plane() {
  constexpr int slots = 8, trunks = 8;
  Graph graph = switches_with_nics(slots, numbered("switch", 2), trunks);
  for (int j = slots; j < slots + trunks; ++j) graph.connect({2 * slots, j}, {2 * slots + 1, j});
  return graph;
}

Graph two_level_fat_tree(int leaves, int per_leaf, int spines) {
  Graph graph = switches_with_nics(per_leaf, numbered("leaf", leaves), spines);
  const int nics = leaves * per_leaf;
  for (int j = 0; j < spines; ++j) {
    const int spine = graph.add_node({NodeKind::switch_node, "spine" + std::to_string(j), leaves, no_group, 0, leaves + j});
    for (int l = 0; l < leaves; ++l) graph.connect({nics + l, per_leaf + j}, {spine, l});
  }
  return graph;
}

Graph bigraph(int nics, int switches) {
  if (nics < 1 || switches < 2 || switches % 2 != 0)
    throw TopologyError("a BiGraph has an even number of switches with at least 1 node each");
  const int half = switches / 2;
  std::vector<std::string> names = numbered("upper", half);
  for (const std::string& name : numbered("lower", half)) names.push_back(name);
  Graph graph = switches_with_nics(nics, names, half);
  const int first = nics * switches;
  for (int u = 0; u < half; ++u)
    for (int l = 0; l < half; ++l) graph.connect({first + u, nics + l}, {first + half + l, nics + u});
  return graph;
}

}  // namespace tributary::topology
