// Partition of machines into lanes: equal weights, whole groups, few links between lanes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "platforms/topology/dgx2.h"
#include "platforms/topology/fat_tree.h"
#include "platforms/topology/lane_plan.h"
#include "platforms/topology/network.h"

namespace tributary::test_lane_plan {
namespace {

using namespace topology;

std::vector<int> nodes_of_lanes(const LanePlan& plan) {
  std::vector<int> count(plan.count);
  for (const unsigned lane : plan.of_node) ++count.at(lane);
  return count;
}

int crossing(const Graph& graph, const LanePlan& plan) {
  return static_cast<int>(std::count_if(graph.links().begin(), graph.links().end(),
                                        [&](const Link& link) { return plan.lane(link.a.node) != plan.lane(link.b.node); }));
}

}  // namespace

TEST_CASE("lane plan: one lane needs no table", "[lane_plan]") {
  const LanePlan plan = partition(dgx2(), 1);
  CHECK(plan.count == 1);
  CHECK(plan.of_node.empty());
  CHECK(plan.lane(5) == 0);
}

TEST_CASE("lane plan: two lanes of a DGX-2 are its boards", "[lane_plan]") {
  const Graph graph = dgx2();
  const LanePlan plan = partition(graph, 2);
  REQUIRE(plan.count == 2);
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n)
    CHECK(plan.lane(n) == static_cast<unsigned>(graph.node(n).group));
  CHECK(nodes_of_lanes(plan) == std::vector<int>{14, 14});
  CHECK(crossing(graph, plan) == 48);  // 6 planes with 8 trunks each
}

TEST_CASE("lane plan: four lanes of a DGX-2 have GPUs and switches in proportion", "[lane_plan]") {
  const Graph graph = dgx2();
  const LanePlan plan = partition(graph, 4);
  REQUIRE(plan.count == 4);
  std::vector<int> gpus(4), switches(4);
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n)
    ++(graph.node(n).kind == NodeKind::gpu ? gpus : switches)[plan.lane(n)];
  CHECK(gpus == std::vector<int>{4, 4, 4, 4});
  CHECK(switches == std::vector<int>{3, 3, 3, 3});
}

TEST_CASE("lane plan: lanes of a torus are blocks of rows", "[lane_plan]") {
  const Network torus = network("torus:8x8");
  const LanePlan plan = partition(torus.graph, 2);
  REQUIRE(plan.count == 2);
  for (int n = 0; n < 64; ++n) CHECK(plan.lane(n) == (n < 32 ? 0u : 1u));
  CHECK(crossing(torus.graph, plan) == 16);  // 8 columns, each of them a ring that is cut twice
}

TEST_CASE("lane plan: no machine has more lanes than nodes, and no lane is empty", "[lane_plan]") {
  for (const unsigned lanes : {3u, 5u, 16u, 64u}) {
    const LanePlan plan = partition(dgx2(), lanes);
    CHECK(plan.count <= std::min(lanes, 28u));
    for (const int nodes : nodes_of_lanes(plan)) CHECK(nodes > 0);
  }
}

}  // namespace tributary::test_lane_plan
