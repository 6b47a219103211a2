// Islands: equal machines in one graph, of which routes, planes, groups and wake orders see one.
#include <catch2/catch.hpp>
#include <numeric>

#include "platforms/topology/dgx2.h"
#include "platforms/topology/fat_tree.h"
#include "platforms/topology/islands.h"
#include "platforms/topology/routes.h"
#include "platforms/topology/switch_routing.h"

namespace tributary::test_islands {

using namespace tributary::topology;

TEST_CASE("islands: copies of a machine number GPUs through and name other nodes by server", "[pure][islands]") {
  const Graph one = dgx2(), two = islands(one, 2);
  const int nodes = static_cast<int>(one.nodes().size());
  CHECK(two.nodes().size() == 2 * one.nodes().size());
  CHECK(two.links().size() == 2 * one.links().size());
  CHECK(two.islands() == 2);
  CHECK(one.islands() == 1);
  CHECK(two.node(nodes).name == "gpu16");
  CHECK(two.node(nodes).index == 16);
  CHECK(two.node(two.find("server1_switch0_2")).island == 1);
  CHECK(two.node(two.find("server0_switch0_2")).island == 0);
  CHECK(two.of_island(1).front() == nodes);
  for (std::size_t i = 0; i < one.links().size(); ++i) {
    const Link &mine = one.links()[i], &copy = two.links()[one.links().size() + i];
    CHECK(copy.a == PortRef{nodes + mine.a.node, mine.a.port});
    CHECK(copy.b == PortRef{nodes + mine.b.node, mine.b.port});
  }
  CHECK(islands(one, 1).node(16).name == one.node(16).name);
  CHECK_THROWS_WITH(islands(one, 0), "a graph of 0 islands (legal: at least 1)");
}

TEST_CASE("islands: planes, groups, diameter and wake order are those of one island", "[pure][islands]") {
  const Graph one = fat_tree();
  Graph two = islands(one, 2);
  // A link between the islands is no way for their packets.
  const int a = two.add_node({NodeKind::switch_node, "bridge", 2, 0, -1, 1000, 2});
  CHECK(a == 2 * static_cast<int>(one.nodes().size()));
  for (const int island : {0, 1}) {
    CHECK(plane_switches(two, 3, island).size() == plane_switches(one, 3).size());
    for (const int s : plane_switches(two, 3, island)) CHECK(two.node(s).island == island);
    CHECK(group_count(two, island) == 16);
    CHECK(diameter(two, island) == 4);
  }
  std::vector<int> fabric(static_cast<std::size_t>(a));
  std::iota(fabric.begin(), fabric.end(), 0);
  const topology::WakeOrder alone = wake_order(one), both = wake_order(two, fabric);
  CHECK(both.count == alone.count);
  std::vector<unsigned> twice = alone.of_node;
  twice.insert(twice.end(), alone.of_node.begin(), alone.of_node.end());
  CHECK(both.of_node == twice);
}

TEST_CASE("islands: the routes of a switch are those of its copy, and lead to no other island", "[pure][islands]") {
  const Graph one = dgx2(), two = islands(one, 2);
  const Routes alone(one), second(two, 1);
  const int nodes = static_cast<int>(one.nodes().size());
  CHECK_THROWS_AS(second.next_hops(nodes + 16, 0), std::out_of_range);
  for (const int s : one.switches()) {
    const RouteTable mine = routing_table(one, alone, s, 8), copy = routing_table(two, second, nodes + s, 8);
    for (unsigned trunk = 0; trunk < 8; ++trunk)
      for (unsigned gpu = 0; gpu < 16; ++gpu) {
        CHECK(copy.to_gpu(16 + gpu, trunk) == mine.to_gpu(gpu, trunk));
        CHECK_THROWS_AS(copy.to_gpu(gpu, trunk), std::logic_error);
      }
  }
}

}  // namespace tributary::test_islands
