/// MultiTree: the paper's example, steps, utilisation and heights (docs/systems/multitree.md#trees).
#include <algorithm>
#include <catch2/catch.hpp>

#include "platforms/topology/network.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/multitree.h"

namespace tributary::test_multitree {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

std::vector<int> all_of(const topology::Network& network) {
  std::vector<int> members;
  for (int n = 0; n < network.size(); ++n) members.push_back(n);
  return members;
}

StepTrees build(const std::string& name, const MultiTreeOptions& options = {}, topology::ParallelLinks links = {}) {
  const topology::Network network = topology::network(name, links);
  StepTrees trees = multitree(network.graph, all_of(network), options);
  CHECK_NOTHROW(verify(trees, network.graph));
  return trees;
}

std::pair<int, int> heights(const StepTrees& trees) {
  std::pair<int, int> range{trees.trees.front().height(), 0};
  for (const StepTree& tree : trees.trees)
    range = {std::min(range.first, tree.height()), std::max(range.second, tree.height())};
  return range;
}

void check_utilisation(const StepTrees& trees, const std::vector<double>& expected) {
  REQUIRE(trees.steps == static_cast<int>(expected.size()));
  for (int step = 1; step <= trees.steps; ++step)
    CHECK(trees.utilisation(step) == Approx(expected[static_cast<std::size_t>(step) - 1]).margin(0.0006));
}

using Edge = std::vector<int>;  // parent, child, step
std::vector<Edge> edges_of(const StepTree& tree) {
  std::vector<Edge> edges;
  for (const TreeEdge& e : tree.edges) edges.push_back({e.parent, e.child, e.step});
  return edges;
}

}  // namespace

TEST_CASE("multitree: the trees of a 2x2 mesh match Figure 3", "[pure]") {
  const StepTrees trees = build("mesh:2x2");
  CHECK(trees.steps == 2);
  CHECK(edges_of(trees.trees[0]) == std::vector<Edge>{{0, 2, 1}, {0, 1, 1}, {2, 3, 2}});
  CHECK(edges_of(trees.trees[1]) == std::vector<Edge>{{1, 3, 1}, {1, 0, 1}, {3, 2, 2}});
  CHECK(edges_of(trees.trees[2]) == std::vector<Edge>{{2, 0, 1}, {2, 3, 1}, {0, 1, 2}});
  CHECK(edges_of(trees.trees[3]) == std::vector<Edge>{{3, 1, 1}, {3, 2, 1}, {1, 0, 2}});
  check_utilisation(trees, {1, 0.5});
}

TEST_CASE("multitree: tori need one step more than the links allow, and all links are used until the last step", "[pure]") {
  check_utilisation(build("torus:4x4"), {1, 1, 0.75, 0.75, 0.25});
  std::vector<double> full(14, 1.0);
  full.insert(full.end(), {0.75, 0.75, 0.25});
  check_utilisation(build("torus:8x8"), full);
  CHECK(heights(build("torus:4x4")) == std::pair(4, 4));
  CHECK(heights(build("torus:8x8")) == std::pair(8, 8));
}

TEST_CASE("multitree: growing tori have the expected number of steps", "[pure]") {
  CHECK(build("torus:6x6").steps == 10);
  CHECK(build("torus:10x10").steps == 26);
  CHECK(build("torus:12x12").steps == 37);
  CHECK(build("torus:14x14").steps == 49);
  CHECK(build("torus:16x16").steps == 64);
}

TEST_CASE("multitree: meshes decay in a long tail", "[pure]") {
  const StepTrees four = build("mesh:4x4"), eight = build("mesh:8x8");
  check_utilisation(four, {1, 0.896, 0.854, 0.729, 0.604, 0.438, 0.271, 0.208});
  check_utilisation(eight, {1.0,   0.955, 0.951, 0.969, 0.929, 0.942, 0.893, 0.884, 0.862, 0.839, 0.817,
                            0.786, 0.759, 0.719, 0.71,  0.719, 0.638, 0.585, 0.518, 0.46,  0.42,  0.379,
                            0.286, 0.246, 0.21,  0.161, 0.121, 0.098, 0.058, 0.036, 0.036, 0.018});
  CHECK(heights(four) == std::pair(4, 6));
  CHECK(heights(eight) == std::pair(8, 15));
}

TEST_CASE("multitree: switches need as many steps as a ring, and the DGX-2 plane has trees of one hop", "[pure]") {
  std::vector<double> plane(7, 2.0 / 3);
  plane.insert(plane.end(), 8, 1.0);
  check_utilisation(build("fat_tree_2level:16"), plane);
  CHECK(heights(build("fat_tree_2level:16")) == std::pair(1, 1));
  CHECK(build("fat_tree_2level:64").steps == 63);
  CHECK(heights(build("fat_tree_2level:64")) == std::pair(1, 1));
  CHECK(build("bigraph:4x8").steps == 31);
  CHECK(heights(build("bigraph:4x8")) == std::pair(2, 2));
  CHECK(build("bigraph:4x16").steps == 63);
  CHECK(heights(build("bigraph:4x16")) == std::pair(2, 2));
}

TEST_CASE("multitree: other readings of the search through switches have the expected steps and heights", "[pure]") {
  const MultiTreeOptions literal{TreeOrder::root, SwitchSearch::literal}, nearest{TreeOrder::root, SwitchSearch::nearest};
  CHECK(build("fat_tree_2level:16", literal).steps == 15);
  CHECK(build("bigraph:4x8", literal).steps == 43);
  CHECK(build("bigraph:4x16", literal).steps == 91);
  CHECK(build("fat_tree_2level:16", nearest).steps == 15);
  CHECK(heights(build("fat_tree_2level:16", nearest)) == std::pair(2, 2));
  CHECK(heights(build("fat_tree_2level:64", nearest)) == std::pair(2, 2));
  CHECK(build("bigraph:4x8", nearest).steps == 31);
  CHECK(heights(build("bigraph:4x8", nearest)) == std::pair(3, 3));
  CHECK(build("bigraph:4x16", nearest).steps == 63);
}

TEST_CASE("multitree: the nearest node may be any number of switches away", "[pure]") {
  constexpr int switches = 9;  // in a line, with a node at each end
  topology::Graph graph;
  for (int n = 0; n < 2; ++n) graph.add_node({topology::NodeKind::nic, "nic" + std::to_string(n), 1, 0, -1, n});
  for (int s = 0; s < switches; ++s)
    graph.add_node({topology::NodeKind::switch_node, "switch" + std::to_string(s), 2, 0, 0, s});
  graph.connect({0, 0}, {2, 0});
  for (int s = 1; s < switches; ++s) graph.connect({1 + s, 1}, {2 + s, 0});
  graph.connect({1 + switches, 1}, {1, 0});
  MultiTreeOptions options;
  options.search = SwitchSearch::nearest;
  const StepTrees trees = multitree(graph, {0, 1}, options);
  CHECK_NOTHROW(verify(trees, graph));
  CHECK(trees.steps == 1);
  CHECK(trees.trees[0].hops.size() == switches + 1);
}

TEST_CASE("multitree: orders of turns have the expected steps on asymmetric networks", "[pure]") {
  CHECK(build("mesh:4x4", {TreeOrder::eccentricity}).steps == 9);
  CHECK(build("mesh:4x4", {TreeOrder::remaining}).steps == 8);
  CHECK(build("mesh:8x8", {TreeOrder::eccentricity}).steps == 32);
  CHECK(build("mesh:8x8", {TreeOrder::remaining}).steps == 32);
  CHECK(build("torus:4x4", {TreeOrder::remaining}).steps == 5);
  CHECK(build("bigraph:4x8", {TreeOrder::remaining, SwitchSearch::literal}).steps == 40);
}

TEST_CASE("multitree: faster links in one dimension reduce the steps", "[pure]") {
  CHECK(build("torus:8x8", {}, {2, 1}).steps < 17);
  CHECK(build("torus:8x8", {}, {2, 1}).steps >= 11);  // 63 nodes over 6 links
  CHECK(build("torus:4x4", {}, {2, 1}).steps < 5);
  CHECK(build("torus:8x8", {}, {1, 2}).steps < 17);
  CHECK(build("mesh:8x8", {}, {2, 1}).steps < 32);
}

TEST_CASE("multitree: any connected nodes have trees, in any order", "[pure]") {
  const topology::Network torus = topology::network("torus:4x4");
  for (const std::vector<int>& members : {std::vector<int>{0, 1, 2, 5, 6}, {9, 5, 1, 13}, {3, 0}, {12, 0, 4, 15}}) {
    const StepTrees trees = multitree(torus.graph, members);
    CHECK(trees.nodes == members);
    CHECK_NOTHROW(verify(trees, torus.graph));
    for (const StepTree& tree : trees.trees)
      for (const topology::PortRef& hop : tree.hops) {
        CHECK(std::count(members.begin(), members.end(), hop.node) == 1);
        CHECK(std::count(members.begin(), members.end(), torus.graph.peer(hop)->node) == 1);
      }
  }
}

TEST_CASE("multitree: nodes of two upper switches meet through a switch without participants", "[pure]") {
  const topology::Network network = topology::network("bigraph:4x8");
  const StepTrees trees = multitree(network.graph, {0, 1, 2, 3, 4, 5, 6, 7});
  CHECK_NOTHROW(verify(trees, network.graph));
  CHECK(trees.steps == 7);
}

TEST_CASE("multitree: an unreachable node is named", "[pure]") {
  const topology::Network mesh = topology::network("mesh:4x4");
  CHECK_THROWS_WITH(multitree(mesh.graph, {0, 1, 10}), Contains("no path from nic0 to nic10") && Contains("not connected"));
  topology::Graph apart;
  for (int n = 0; n < 4; ++n) apart.add_node({topology::NodeKind::nic, "nic" + std::to_string(n), 1, 0, -1, n});
  for (int s = 0; s < 2; ++s) {
    apart.add_node({topology::NodeKind::switch_node, "switch" + std::to_string(s), 2, s, 0, s});
    for (int n = 0; n < 2; ++n) apart.connect({2 * s + n, 0}, {4 + s, n});
  }
  CHECK_THROWS_WITH(multitree(apart, {0, 1, 2, 3}), Contains("no path from nic0 to nic2"));
  CHECK_THROWS_WITH(multitree(apart, {0, 4}), Contains("no end node 4"));
  CHECK_THROWS_WITH(multitree(apart, {0, 9}), Contains("no end node 9"));
  CHECK_THROWS_WITH(multitree(apart, {1, 1}), Contains("named twice"));
  CHECK_THROWS_WITH(multitree(apart, {1}), Contains("at least 2"));
}

TEST_CASE("multitree: the checker finds damaged trees", "[pure]") {
  const topology::Network torus = topology::network("torus:4x4"), plane = topology::network("fat_tree_2level:16");
  const StepTrees good = multitree(torus.graph, all_of(torus)), switched = multitree(plane.graph, all_of(plane));
  const auto spoiled = [](StepTrees trees, const topology::Network& network, auto change) {
    change(trees);
    verify(trees, network.graph);
  };
  using Trees = StepTrees;
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees[3].edges.pop_back(); }), Contains("tree 3 does not reach"));
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees[0].edges.push_back(t.trees[0].edges[0]); }),
                    Contains("already in the tree"));
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees[0].edges.back().step = 1; }),
                    Contains("not yet in the tree"));
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees[0].edges.back().step = 6; }), Contains("after the last"));
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees[0].edges.back().step = 4; }), Contains("used twice"));
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees[0].hops[0].port ^= 1; }), Contains("do not lead"));
  CHECK_THROWS_WITH(spoiled(switched, plane, [](Trees& t) { t.trees[0].hops[0].node = 1; }), Contains("do not join"));
  CHECK_THROWS_WITH(spoiled(good, torus, [](Trees& t) { t.trees.pop_back(); }), Contains("15 trees for 16 ranks"));
}

}  // namespace tributary::test_multitree
