#include "testbench/collective/link_loads.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

using topology::PortRef;

/// Returns true if each chunk crosses all edges of its tree.
bool fills_trees(const NetworkSchedule& schedule) {
  return schedule.trees && schedule.schedule.chunks == schedule.schedule.ranks;
}

/// Path of each send, unless chunks fill their trees.
class Routes {
 public:
  Routes(const topology::Network& network, const NetworkSchedule& schedule) : schedule_(schedule), routes_(network) {
    if (!schedule.trees || fills_trees(schedule)) return;
    for (const StepTree& tree : schedule.trees->trees) {
      edges_.emplace_back(schedule.nodes.size(), nullptr);
      for (const TreeEdge& e : tree.edges) edges_.back()[at(e.child)] = &e;
    }
  }

  std::vector<PortRef> of(int rank, const Operation& send) const {
    if (!schedule_.trees) return routes_.route(schedule_.nodes[at(rank)], schedule_.nodes[at(send.peer)]);
    const int t = send.chunk / schedule_.schedule.ranks;  // an all-to-all goes down
    const StepTree& tree = schedule_.trees->trees[at(t)];
    const TreeEdge& down = *edges_[at(t)][at(send.peer)];
    return {tree.begin(down), tree.end(down)};
  }

 private:
  const NetworkSchedule& schedule_;
  topology::PacketRoutes routes_;
  std::vector<std::vector<const TreeEdge*>> edges_;  ///< [tree][child]
};

/// Use of one link by one chunk.
struct Use {
  int step = 0, link = 0, from = 0, to = 0;
};
bool operator<(const Use& a, const Use& b) {
  return std::tie(a.step, a.link, a.from, a.to) < std::tie(b.step, b.link, b.from, b.to);
}

/// Returns, for each node, the number of the link at its first port.
std::vector<int> first_links(const topology::Graph& graph) {
  std::vector<int> first;
  int links = 0;
  for (const topology::Node& n : graph.nodes()) {
    first.push_back(links);
    links += n.ports;
  }
  return first;
}

/// Returns the Y links if their bandwidth differs from that of the X links, else none.
std::set<int> y_links(const topology::Network& network) {
  std::set<int> links;
  if (network.y_speed == 1) return links;
  const std::vector<int> first = first_links(network.graph);
  for (const int link : first)
    for (int port = 0; port < 2 * network.grid->y_links; ++port) links.insert(link + port);
  return links;
}

/// Adds the edges of the trees: up in the first phase and down in the second, or one of them.
void add_edges(const topology::Graph& graph, const NetworkSchedule& schedule, const std::vector<int>& first_link,
               std::vector<Use>& uses) {
  const std::vector<Goal>& goals = schedule.schedule.goals;
  const bool up = goals.empty() || goals.front().from == every_rank, down = goals.empty() || !up;
  const int steps = schedule.trees->steps, before_down = up ? steps : 0;
  const auto link = [&](const PortRef& hop) { return first_link[at(hop.node)] + hop.port; };
  for (const StepTree& tree : schedule.trees->trees)
    for (const TreeEdge& e : tree.edges)
      for (const PortRef* hop = tree.begin(e); hop != tree.end(e); ++hop) {
        if (down) uses.push_back({before_down + e.step, link(*hop), e.parent, e.child});
        if (up) uses.push_back({steps + 1 - e.step, link(*graph.peer(*hop)), e.child, e.parent});
      }
}

std::vector<Use> uses_of(const topology::Graph& graph, const NetworkSchedule& schedule, const Routes& routes) {
  const std::vector<int> first_link = first_links(graph);
  std::vector<Use> uses;
  if (fills_trees(schedule)) {
    add_edges(graph, schedule, first_link, uses);
    std::sort(uses.begin(), uses.end());
    return uses;
  }
  for_each_program(schedule, [&](int rank, const std::vector<Operation>& program) {
    int peer = -1;
    std::vector<PortRef> route;  // route of the last send: most ranks send to few others
    for (const Operation& o : program) {
      if (o.kind != OperationKind::send) continue;
      if (schedule.trees || o.peer != peer) route = routes.of(rank, o), peer = o.peer;
      for (const PortRef& hop : route)
        uses.push_back({schedule.pipelined ? 0 : o.step, first_link[at(hop.node)] + hop.port, rank, o.peer});
    }
  });
  std::sort(uses.begin(), uses.end());
  return uses;
}

/// True if chunks go from every rank to every rank; then the message is the data that one rank sends.
bool between_pairs(const Schedule& schedule) {
  std::set<int> from, to;
  for (const Goal& goal : schedule.goals) from.insert(goal.from), to.insert(goal.to);
  return from.size() > 1 && to.size() > 1;
}

}  // namespace

LinkLoads link_loads(const topology::Network& network, const NetworkSchedule& schedule) {
  const std::vector<Use> uses = uses_of(network.graph, schedule, Routes(network, schedule));
  const Schedule& s = schedule.schedule;
  const double chunk = (between_pairs(s) ? s.ranks : 1.0) / s.chunks;
  LinkLoads loads;
  loads.links = schedule.trees ? schedule.trees->links : 2 * static_cast<int>(network.graph.links().size());
  const std::set<int> fast = y_links(network);
  const auto share = [&](int link, std::size_t chunks) {
    return static_cast<double>(chunks) * chunk / (fast.count(link) != 0 ? network.y_speed : 1);
  };
  std::map<int, std::size_t> totals;  // by link
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t first = i;
    int flows = 0;
    for (; i < uses.size() && uses[i].step == uses[first].step && uses[i].link == uses[first].link; ++i)
      flows += i == first || uses[i - 1] < uses[i] ? 1 : 0;
    totals[uses[first].link] += i - first;
    if (loads.steps.empty() || loads.steps.back().step != uses[first].step)
      loads.steps.push_back({uses[first].step, 0, 0, 0});
    StepLoad& load = loads.steps.back();
    ++load.links_used;
    load.flows = std::max(load.flows, flows);
    load.busiest = std::max(load.busiest, share(uses[first].link, i - first));
  }
  for (const auto& [link, chunks] : totals) loads.busiest = std::max(loads.busiest, share(link, chunks));
  return loads;
}

double ideal_time(const NetworkSchedule& schedule, const LinkLoads& loads) {
  if (schedule.pipelined) return loads.busiest;
  double time = 0;
  for (const StepLoad& s : loads.steps) time += s.busiest;
  return time;
}

}  // namespace tributary::collective
