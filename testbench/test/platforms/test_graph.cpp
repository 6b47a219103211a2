#include <catch2/catch.hpp>

#include "platforms/topology/dgx2.h"
#include "platforms/topology/fat_tree.h"
#include "platforms/topology/graph.h"
#include "platforms/topology/grid.h"
#include "platforms/topology/routes.h"

namespace tributary::test_graph {

using namespace tributary::topology;

namespace {

Node gpu(const std::string& name, int ports) { return {NodeKind::gpu, name, ports, 0, -1, 0}; }
Node switch_of(const std::string& name, int ports, int plane) { return {NodeKind::switch_node, name, ports, 0, plane, 0}; }

}  // namespace

TEST_CASE("a graph knows both ends of every link", "[pure]") {
  Graph graph;
  const int a = graph.add_node(gpu("a", 2));
  const int s = graph.add_node(switch_of("s", 3, 0));
  graph.connect({a, 1}, {s, 2});
  CHECK(graph.peer({a, 1}) == PortRef{s, 2});
  CHECK(graph.peer({s, 2}) == PortRef{a, 1});
  CHECK_FALSE(graph.peer({a, 0}));
  CHECK(graph.links().size() == 1);
  CHECK(graph.find("s") == s);
  CHECK(graph.name({s, 2}) == "s.port2");
  CHECK(graph.gpus() == std::vector<int>{a});
  CHECK(graph.switches() == std::vector<int>{s});
}

TEST_CASE("the diameter is the longest shortest path between endpoints, through forwarding nodes", "[pure]") {
  CHECK(diameter(dgx2()) == 3);      // GPU, switch, trunk, switch, GPU
  CHECK(diameter(fat_tree()) == 4);  // GPU, leaf, spine, leaf, GPU
  CHECK(diameter(Grid{4, 4, true}.graph()) == 4);
  CHECK(diameter(Grid{4, 8, false}.graph()) == 3 + 7);
  Graph graph;  // a NIC does not forward
  const int a = graph.add_node(gpu("a", 1)), b = graph.add_node(gpu("b", 2)), c = graph.add_node(gpu("c", 1));
  graph.connect({a, 0}, {b, 0});
  graph.connect({b, 1}, {c, 0});
  CHECK(diameter(graph) == 1);
}

TEST_CASE("wake order: forwarding neighbours have different positions, and the ends of a group come last", "[pure]") {
  // gpu0 - leaf0 - spine - leaf1 - gpu1, and a second path from leaf0 to gpu1; all in one group
  Graph graph;
  const int gpu0 = graph.add_node(gpu("gpu0", 1)), gpu1 = graph.add_node(gpu("gpu1", 2));
  const int leaf0 = graph.add_node(switch_of("leaf0", 3, 0)), leaf1 = graph.add_node(switch_of("leaf1", 2, 0));
  const int spine = graph.add_node(switch_of("spine", 2, 0)), alone = graph.add_node(switch_of("alone", 1, 1));
  graph.connect({gpu0, 0}, {leaf0, 0});
  graph.connect({leaf0, 1}, {spine, 0});
  graph.connect({spine, 1}, {leaf1, 0});
  graph.connect({leaf1, 1}, {gpu1, 0});
  graph.connect({leaf0, 2}, {gpu1, 1});
  const WakeOrder order = wake_order(graph);
  REQUIRE(order.of_node.size() == 6);
  CHECK(order.count == 3);
  const auto of = [&](int node) { return order.of_node[static_cast<std::size_t>(node)]; };
  CHECK(of(gpu0) == 2);
  CHECK(of(gpu1) == 2);
  CHECK(of(leaf0) == 0);
  CHECK(of(leaf1) == 0);
  CHECK(of(spine) == 1);
  CHECK(of(alone) < 2);
}

TEST_CASE("wake order of a fat tree: group by group, and spines last", "[pure]") {
  const Graph graph = fat_tree();
  const WakeOrder order = wake_order(graph);
  CHECK(order.count == 33);
  const auto of = [&](const std::string& name) { return order.of_node[static_cast<std::size_t>(graph.find(name))]; };
  CHECK(of("leaf0_0") == 0);
  CHECK(of("leaf0_5") == 0);
  CHECK(of("gpu7") == 1);
  CHECK(of("leaf1_0") == 2);
  CHECK(of("gpu127") == 31);
  CHECK(of("spine0_0") == 32);
  CHECK(of("spine7_5") == 32);
  for (const Link& link : graph.links()) CHECK(of(graph.node(link.a.node).name) != of(graph.node(link.b.node).name));
}

TEST_CASE("wake order of a direct network: neighbours have different positions of two", "[pure]") {
  const Graph graph = Grid{4, 6, true}.graph();
  const WakeOrder order = wake_order(graph);
  CHECK(order.count == 2);
  for (const Link& link : graph.links())
    CHECK(order.of_node[static_cast<std::size_t>(link.a.node)] != order.of_node[static_cast<std::size_t>(link.b.node)]);
}

TEST_CASE("a graph refuses what cannot be wired", "[pure]") {
  using Catch::Matchers::Contains;
  Graph graph;
  const int a = graph.add_node(gpu("a", 1));
  const int b = graph.add_node(gpu("b", 2));
  graph.connect({a, 0}, {b, 0});
  CHECK_THROWS_WITH(graph.connect({a, 0}, {b, 1}), Contains("a.port0 is already linked to b.port0"));
  CHECK_THROWS_WITH(graph.connect({b, 1}, {b, 0}), Contains("b.port0 is already linked to a.port0"));
  CHECK_THROWS_WITH(graph.connect({b, 1}, {b, 1}), Contains("itself"));
  CHECK_THROWS_WITH(graph.connect({b, 2}, {a, 0}), Contains("b.port2 does not exist; b has 2 ports"));
  CHECK_THROWS_WITH(graph.connect({b, 1}, {7, 0}), Contains("no node 7"));
  CHECK_THROWS_WITH(graph.add_node(gpu("a", 1)), Contains("two nodes are named a"));
  CHECK_THROWS_WITH(graph.find("c"), Contains("no node is named c"));
  CHECK(graph.links().size() == 1);  // a refused link leaves no trace
  CHECK_FALSE(graph.peer({b, 1}));
}

TEST_CASE("routes: a GPU never forwards and a packet keeps its plane", "[pure]") {
  // Plane 0: x - s - y. Plane 1: x - t - u - y, longer. m is linked to s and t and would be a short cut between them.
  Graph graph;
  const int x = graph.add_node(gpu("x", 2)), y = graph.add_node(gpu("y", 2)), m = graph.add_node(gpu("m", 2));
  const int s = graph.add_node(switch_of("s", 4, 0)), t = graph.add_node(switch_of("t", 4, 1));
  const int u = graph.add_node(switch_of("u", 4, 1));
  graph.connect({x, 0}, {s, 0});
  graph.connect({x, 1}, {t, 0});
  graph.connect({m, 0}, {s, 1});
  graph.connect({m, 1}, {t, 1});
  graph.connect({t, 2}, {u, 2});
  graph.connect({t, 3}, {u, 3});
  graph.connect({y, 0}, {s, 2});
  graph.connect({y, 1}, {u, 0});

  const Routes routes(graph);
  CHECK(routes.next_hops(x, y) == std::vector<int>{0, 1});  // shortest within each plane
  CHECK(routes.next_hops(x, t) == std::vector<int>{1});
  CHECK(routes.next_hops(s, t).empty());  // only through x or m
  CHECK(routes.next_hops(t, y) == std::vector<int>{2, 3});
  CHECK(routes.next_hops(u, x) == std::vector<int>{2, 3});
  CHECK(routes.next_hops(s, m) == std::vector<int>{1});
  CHECK(routes.next_hops(s, s).empty());
  CHECK(routes.port(t, y, 5) == 3);
  CHECK_THROWS_AS(routes.port(s, t, 0), TopologyError);
}

}  // namespace tributary::test_graph
