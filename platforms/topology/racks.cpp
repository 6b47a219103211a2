#include "platforms/topology/racks.h"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "platforms/topology/rack_counts.h"

namespace tributary::topology {
namespace {

constexpr int most_hosts = 1024, most_of_a_rack = 32;

/// Parses a list such as `4x8x2`; returns an empty list on any other text.
std::vector<int> numbers(const std::string& text) {
  std::vector<int> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || value < 1 || value > most_hosts) return {};
    all.push_back(value);
    if (next == end) return all;
    if (*next != 'x') return {};
    at = next + 1;
  }
}

struct Row {
  const char* kind;
  RacksForm form;
  const char* legal;
  /// Fills in the numbers; returns false if they are not legal.
  bool (*take)(Racks& racks, const std::vector<int>& numbers);
};

bool take_rack(Racks& r, const std::vector<int>& n) {
  if (n.empty() || n.size() > 2) return false;
  r.hosts = n[0], r.gpus = n.size() == 2 ? n[1] : 1;
  return r.hosts >= 2 && r.hosts <= most_of_a_rack && r.gpus <= 16;
}
bool take_spine_leaf(Racks& r, const std::vector<int>& n) {
  if (n.size() < 2 || n.size() > 3) return false;
  r.racks = n[0], r.hosts = n[1], r.gpus = n.size() == 3 ? n[2] : 1;
  return r.racks >= 2 && r.racks <= 32 && r.hosts <= most_of_a_rack && r.gpus <= 16;
}
const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"rack",
       {"rack:H", "H, or H x G",
        "H hosts (2 to 32) on an Ethernet switch with a NetReduce accelerator; rack:HxG has G GPUs a host"},
       "H or HxG: 2 to 32 hosts, 1 to 16 GPUs in each",
       take_rack},
      {"spine_leaf",
       {"spine_leaf:RxH", "R x H, or R x H x G",
        "R racks (2 to 32) of H hosts, accelerators at leaves and spine; RxHxG has G GPUs a host"},
       "RxH or RxHxG: 2 to 32 racks, 1 to 32 hosts in each, 1 to 16 GPUs in each",
       take_spine_leaf},
  };
  return rows;
}

std::string numbered(const char* name, int i, bool alone) { return alone ? name : name + std::to_string(i); }

/// Connects a node to its switch by `ports` links, starting at port `first` of the switch.
void join(Graph& graph, int node, int switch_node, int first, int ports) {
  for (int p = 0; p < ports; ++p) graph.connect({switch_node, first + p}, {node, p});
}

void build(Racks& r) {
  Graph& g = r.graph;
  const bool alone = r.racks == 1;
  const int per_leaf = r.hosts + r.accelerator_ports + r.spines;
  for (int h = 0; h < r.all_hosts(); ++h) g.add_node({NodeKind::nic, "host" + std::to_string(h), 1, r.rack_of(h), -1, h});
  int index = 0;
  for (int k = 0; k < r.racks; ++k)
    g.add_node({NodeKind::switch_node, numbered(alone ? "switch" : "leaf", k, alone), per_leaf, k, 0, index++});
  for (int s = 0; s < r.spines; ++s)
    g.add_node({NodeKind::switch_node, numbered("spine", s, r.spines == 1),
                r.racks + (r.accelerator_ports != 0 ? r.racks : 0), no_group, 0, index++});
  if (r.accelerator_ports != 0)
    for (int k = 0; k < r.racks; ++k)
      g.add_node({NodeKind::switch_node, numbered("accelerator", k, alone), r.accelerator_ports, k, 0, index++});
  if (r.accelerator_ports != 0)
    for (int s = 0; s < r.spines; ++s)
      g.add_node({NodeKind::switch_node, numbered("spine_accelerator", s, r.spines == 1), r.racks, no_group, 0, index++});
  for (int h = 0; h < r.all_hosts(); ++h) g.connect({h, 0}, {r.leaf(r.rack_of(h)), h % r.hosts});
  for (int k = 0; k < r.racks; ++k) {
    if (r.accelerator_ports != 0) join(g, r.leaf_accelerator(k), r.leaf(k), r.accelerator_port(0), r.accelerator_ports);
    for (int s = 0; s < r.spines; ++s) g.connect({r.leaf(k), r.spine_port(s)}, {r.spine(s), k});
  }
  if (r.accelerator_ports != 0)
    for (int s = 0; s < r.spines; ++s) join(g, r.spine_accelerator(s), r.spine(s), r.spine_accelerator_port(0), r.racks);
}

}  // namespace

const std::vector<RacksForm>& racks_forms() {
  static const std::vector<RacksForm> forms = [] {
    std::vector<RacksForm> all;
    for (const Row& row : table()) all.push_back(row.form);
    return all;
  }();
  return forms;
}

Racks racks(const RackCounts& counts) {
  Racks made;
  made.racks = counts.racks, made.hosts = counts.hosts;
  made.accelerator_ports = counts.accelerator_ports, made.spines = counts.spines;
  build(made);
  return made;
}

Racks racks(const std::string& name, int accelerator_ports, int spines) {
  const auto colon = name.find(':');
  const std::string kind = name.substr(0, colon), arguments = colon == std::string::npos ? "" : name.substr(colon + 1);
  for (const Row& row : table()) {
    if (row.kind != kind) continue;
    Racks made;
    made.name = name;
    if (!row.take(made, numbers(arguments)) || made.all_hosts() > most_hosts)
      throw std::invalid_argument("platform " + kind + ": '" + arguments + "' is given (legal: " + row.legal + ", at most " +
                                  std::to_string(most_hosts) + " hosts)");
    if (made.racks > 1) made.spines = spines;
    made.accelerator_ports = accelerator_ports != 0 ? accelerator_ports : made.hosts + (made.tree() ? 1 : 0);
    build(made);
    return made;
  }
  throw std::invalid_argument("platform " + kind + " has no hosts on Ethernet");
}

}  // namespace tributary::topology
