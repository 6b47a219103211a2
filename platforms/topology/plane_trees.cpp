#include "platforms/topology/plane_trees.h"

#include <map>
#include <set>

#include "platforms/topology/switch_routing.h"

namespace tributary::topology {
namespace {

constexpr int most_hops = 4;

/// Links and nodes visited so far.
class Passed {
 public:
  void add(PortRef from, PortRef to) {
    const auto a = std::pair(from.node, from.port), b = std::pair(to.node, to.port);
    links_.insert(a < b ? std::pair(a, b) : std::pair(b, a));
    nodes_.insert({from.node, to.node});
  }
  bool tree() const { return nodes_.empty() || links_.size() + 1 == nodes_.size(); }

 private:
  using End = std::pair<int, int>;
  std::set<std::pair<End, End>> links_;
  std::set<int> nodes_;
};

class Check {
 public:
  Check(const Graph& graph, const Routes& routes, int plane, const FabricPlane& shape)
      : graph_(graph), shape_(shape), switches_(plane_switches(graph, plane)), gpus_(graph.gpus()) {
    if (shape.spines > 0 && shape.trunks % shape.spines != 0) refuse(switches_.front());
    const unsigned route_count = shape.links * shape.trunks;
    for (unsigned i = 0; i < switches_.size(); ++i) {
      index_[switches_[i]] = i;
      tables_.emplace(switches_[i], routing_table(graph, routes, switches_[i], route_count, shape.links));
    }
    for (unsigned route = 0; route < route_count; ++route) check(route);
  }

 private:
  /// Marks the path from one node to another; both are switches, or the last is a GPU.
  void walk(int from, int to, unsigned route, Passed& passed) const {
    for (int at = from, hops = 0; at != to; ++hops) {
      if (hops == most_hops || index_.count(at) == 0) refuse(from);
      const RouteTable& table = tables_.at(at);
      const bool home = index_.count(to) != 0;
      const unsigned port = home ? table.to_switch(index_.at(to), route) : table.to_gpu(number_of(to), route);
      const PortRef near{at, static_cast<int>(port)}, far = graph_.peer(near).value();
      passed.add(near, far);
      at = far.node;
    }
  }
  unsigned number_of(int gpu) const { return static_cast<unsigned>(graph_.node(gpu).index); }
  /// Returns the switch port at which packets of a GPU with route `way` enter the plane.
  PortRef leaf(int gpu, unsigned route) const {
    for (const auto& [node, table] : tables_) {
      const auto port = static_cast<int>(table.to_gpu(number_of(gpu), route));
      if (graph_.peer({node, port})->node == gpu) return {node, port};
    }
    refuse(switches_.front());
  }

  void check(unsigned route) const try {
    Passed between;
    for (const int from : gpus_)
      for (const int to : gpus_)
        if (from != to) walk(leaf(from, route).node, to, route, between);
    for (unsigned i = 0; i < switches_.size(); ++i) {
      const int home = switches_[i];
      const unsigned spine = shape_.spine[i];
      if (spine > 0 && route / shape_.links / (shape_.trunks / shape_.spines) != spine - 1) continue;
      Passed of_home = between;
      for (const int gpu : gpus_) {
        walk(leaf(gpu, route).node, home, route, of_home);
        walk(home, gpu, route, of_home);
      }
      if (!of_home.tree()) refuse(home);
    }
  } catch (const TopologyError&) {
    throw;
  } catch (const std::logic_error&) {
    refuse(switches_.front());  // a table has no route
  }

  [[noreturn]] void refuse(int node) const {
    throw TopologyError("the links of " + graph_.node(node).name +
                        " and its neighbours do not form a tree for every route (legal: one NVSwitch; two that are "
                        "linked with each other; or leaves and spines, each leaf linked equally to each spine)");
  }

  const Graph& graph_;
  const FabricPlane& shape_;
  std::vector<int> switches_, gpus_;
  std::map<int, unsigned> index_;  // in the plane, by node
  std::map<int, RouteTable> tables_;
};

}  // namespace

void check_trees(const Graph& graph, const Routes& routes, int plane, const FabricPlane& shape) {
  Check(graph, routes, plane, shape);
}

}  // namespace tributary::topology
