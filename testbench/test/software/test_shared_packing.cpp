/// Tests trees over links that several pairs share (docs/systems/blink.md#islands).
#include <catch2/catch.hpp>

#include "testbench/collective/packing/shared_packing.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::test_shared_packing {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

constexpr double fast = 0.01;

/// Pairs {0, 1}, {2, 3} ... with a fast link each. Every node has one slow link up and one down, of time 1 for a unit, over
/// which it reaches the nodes of other pairs; with `socket`, these copies also cross a link of that time, one in each
/// direction between the halves.
SharedGraph pairs(int nodes, double socket = 0) {
  SharedGraph graph;
  graph.nodes = nodes;
  graph.links = 2 * nodes + 2 * nodes * nodes + 2;
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      if (a == b) continue;
      if (a / 2 == b / 2) {
        graph.edges.push_back({a, b, {{2 * nodes + a * nodes + b, fast}}});
        continue;
      }
      graph.edges.push_back({a, b, {{a, 1}, {nodes + b, 1}}});
      const bool left = 2 * a < nodes, other = 2 * b < nodes;
      if (socket > 0 && left != other) graph.edges.back().uses.push_back({graph.links - (left ? 1 : 2), socket});
    }
  return graph;
}

std::int64_t sum(const std::vector<WeightedTree>& trees) {
  std::int64_t all = 0;
  for (const WeightedTree& t : trees) all += t.units;
  return all;
}

}  // namespace

TEST_CASE("shared packing: two pairs send half of the data over each slow link", "[pure]") {
  const SharedPacking packing = shared_packing(pairs(4), false, 0, 0.05);
  CHECK(packing.bound == Approx(2).epsilon(0.01));  // two nodes of a pair, each with a slow link
  CHECK(packing.rate >= 0.95 * packing.bound);
  REQUIRE(packing.trees.size() == 2);
  for (const WeightedTree& t : packing.trees)
    CHECK(static_cast<double>(t.units) == Approx(0.5 * static_cast<double>(sum(packing.trees))).epsilon(0.1));
}

TEST_CASE("shared packing: a chain of pairs enters by one node and leaves by the other", "[pure]") {
  // Each slow link carries the data once in each direction: 3 edges between 4 pairs have 6 ends at 8 nodes, of rate 8 / 6.
  const SharedPacking packing = shared_packing(pairs(8), false, 0, 0.0);
  CHECK(packing.bound == Approx(8.0 / 6).epsilon(0.02));
  // A link between the halves that all data cross once bounds the rate.
  const SharedPacking across = shared_packing(pairs(8, 2), false, 0, 0.05);
  CHECK(across.bound == Approx(0.5).epsilon(0.01));
  CHECK(across.trees.size() == 1);  // a chain, not several trees with hubs
}

TEST_CASE("shared packing: directed trees begin at the root, whose link up bounds them", "[pure]") {
  const SharedPacking packing = shared_packing(pairs(4), true, 1, 0.05);
  CHECK(packing.bound == Approx(2).epsilon(0.02));  // the root and the other GPU of its pair both send
  for (const WeightedTree& t : packing.trees) CHECK(t.tree.root() == 1);
}

TEST_CASE("shared packing: pairs that edges do not join are refused", "[pure]") {
  SharedGraph apart;
  apart.nodes = 3, apart.links = 2;
  apart.edges = {{0, 1, {{0, 1}}}, {1, 0, {{1, 1}}}};
  CHECK_THROWS_AS(shared_packing(apart, false, 0, 0.05), ScheduleError);
  CHECK_THROWS_AS(shared_packing(apart, true, 0, 0.05), ScheduleError);
}

}  // namespace tributary::test_shared_packing
