/// Packings of more GPUs than integer programs can solve: by cuts and by matroid union, and the reduction of their depth
/// (docs/systems/blink.md#trees).
#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <random>

#include "testbench/collective/packing/forest_packing.h"
#include "testbench/collective/packing/integral_packing.h"
#include "testbench/collective/packing/less_deep.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/test/harness/random_links.h"

namespace tributary::test_large_packing {

using namespace tributary::collective;

namespace {

/// A graph in which every pair has `links` links.
topology::Allocation complete(int ranks, int links) {
  topology::Allocation a;
  const auto n = static_cast<std::size_t>(ranks);
  a.links.assign(n, std::vector<int>(n, links));
  for (std::size_t i = 0; i < n; ++i) a.gpus.push_back(static_cast<int>(i)), a.links[i][i] = 0;
  return a;
}

/// A random connected graph in which no rank has more than `most` links, with about as many links as that allows.
topology::Allocation random_degrees(std::mt19937& random, int ranks, int most) {
  topology::Allocation a = complete(ranks, 0);
  std::vector<int> degree(a.gpus.size(), 0);
  const auto join = [&](std::size_t x, std::size_t y) { ++a.links[x][y], ++a.links[y][x], ++degree[x], ++degree[y]; };
  for (std::size_t i = 1; i < degree.size(); ++i) join(i, i - 1);
  for (int i = 0; i < 400; ++i) {
    const std::size_t x = random() % degree.size(), y = random() % degree.size();
    if (x != y && degree[x] < most && degree[y] < most) join(x, y);
  }
  return a;
}

int heights(const TreePacking& packing) {
  int sum = 0;
  for (const PackedTree& tree : packing.trees) sum += tree.depth;
  return sum;
}

/// Returns the CPU time of a call.
template <class What>
double seconds(What&& what) {
  const std::clock_t begin = std::clock();
  what();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void check_whole(const topology::Allocation& a) {
  const GeneratedTrees one = broadcast_trees(a, 3);
  CHECK(one.packing.rate() == Fraction(least_cut(directed_links(a), 3).capacity));
  CHECK_NOTHROW(verify(one.graph, one.packing, true));
  const GeneratedTrees all = allreduce_trees(a);
  CHECK(all.partition->rate() == all.bound);
  CHECK_FALSE(all.bound < all.packing.rate());
  CHECK(all.packing.rate().value() >= 0.95 * all.bound.value() - 1e-9);
  CHECK_NOTHROW(verify(all.graph, all.packing, false));
}

}  // namespace

// By Tutte and Nash-Williams floor(parts x rate) trees of 1/parts exist, and one more does not.
TEST_CASE("large packing: fractional trees reach the bound of a partition, and no more", "[pure]") {
  std::mt19937 random(21);
  for (int i = 0; i < 60; ++i) {
    const auto a = random_links(random, 3 + i % 14, 3);
    const CapacityGraph graph = undirected_links(a);
    const PartitionBound bound = undirected_packing(graph).bound;
    for (const int parts : {1, 2, 8}) {
      const std::int64_t whole = parts * bound.crossing / (bound.parts - 1);
      if (whole > 0) {
        const auto found = forest_packing(graph, parts, whole);
        REQUIRE(found);
        CHECK_NOTHROW(verify(graph, *found, false));
        CHECK(found->rate() == Fraction(whole, parts));
        const TreePacking better = less_deep(graph, *found, false);
        CHECK_NOTHROW(verify(graph, better, false));
        CHECK(better.rate() == Fraction(whole, parts));
        CHECK(better.trees.size() <= found->trees.size());
        CHECK(better.depth() <= graph.nodes / 2);
      }
      CHECK_FALSE(forest_packing(graph, parts, whole + 1));
    }
  }
}

TEST_CASE("large packing: exchanges keep a packing's rate, and its trees become less high", "[pure]") {
  std::mt19937 random(22);
  for (int i = 0; i < 60; ++i) {
    const auto a = random_links(random, 3 + i % 14, 4);
    const CapacityGraph graph = directed_links(a);
    const TreePacking whole = integral_packing(graph, 1), better = less_deep(graph, whole, true);
    CHECK_NOTHROW(verify(graph, better, true));
    CHECK(better.rate() == whole.rate());
    CHECK(heights(better) <= heights(whole));
  }
}

// 0>1>2>3 and 0>1, 0>2, 1>3: after exchanging the parents of 2, or of 3, both trees have two hops.
TEST_CASE("large packing: two trees exchange the edges into a node", "[pure]") {
  const CapacityGraph graph{4, {{0, 1, 2}, {1, 2, 1}, {2, 3, 1}, {0, 2, 1}, {1, 3, 1}}};
  TreePacking packing;
  packing.trees = {{{0, 1, 2}, 0, 3, 1}, {{0, 3, 4}, 0, 2, 1}};
  verify(graph, packing, true);
  const TreePacking better = less_deep(graph, packing, true);
  REQUIRE(better.trees.size() == 2);
  CHECK(std::min(better.trees[0].edges, better.trees[1].edges) == EdgeSet{0, 1, 4});
  CHECK(std::max(better.trees[0].edges, better.trees[1].edges) == EdgeSet{0, 2, 3});
  CHECK(better.depth() == 2);
}

TEST_CASE("large packing: a tree uses spare links, and equal trees are merged", "[pure]") {
  const CapacityGraph graph{3, {{0, 1, 2}, {1, 2, 1}, {0, 2, 2}}};
  TreePacking packing;
  packing.trees = {{{0, 1}, 0, 2, 1}, {{0, 2}, 0, 1, 1}};
  const TreePacking better = less_deep(graph, packing, true);
  REQUIRE(better.trees.size() == 1);
  CHECK((better.trees[0].edges == EdgeSet{0, 2} && better.trees[0].units == 2));
}

TEST_CASE("large packing: trees by cuts are as heavy as their links allow", "[pure]") {
  const TreePacking packing = integral_packing(directed_links(complete(2, 5)), 0);
  REQUIRE(packing.trees.size() == 1);
  CHECK(packing.trees[0].units == 5);
  CHECK(integral_packing(directed_links(complete(12, 3)), 0).trees.size() == 11);  // 33 links; 11 trees of 3
}

// Each pair of 16 GPUs has a link: one tree of two hops for each link of the root; 120 links are 8 trees of 15.
TEST_CASE("large packing: 16 fully connected GPUs have trees of two hops", "[pure]") {
  const auto a = complete(16, 1);
  const GeneratedTrees one = broadcast_trees(a, 0);
  CHECK(one.packing.trees.size() == 15);
  CHECK(one.packing.rate() == Fraction(15));
  CHECK(one.packing.depth() == 2);
  CHECK(one.fewest);
  const GeneratedTrees all = allreduce_trees(a);
  CHECK(all.packing.rate() == Fraction(8));
  CHECK(all.packing.trees.size() == 8);
  CHECK(all.fewest);
}

// `tributary` needs 3 s; sanitizers and a busy machine get more.
TEST_CASE("large packing: trees of 16 GPUs are found in time", "[pure]") {
  std::mt19937 random(23);
  constexpr double most = 12;
  for (const int links : {3, 4, 6, 12, 18}) {
    const auto a = random_degrees(random, 16, links);
    CHECK(seconds([&] { check_whole(a); }) < 2 * most);
  }
  CHECK(seconds([&] { broadcast_trees(complete(16, 1), 0); }) < most);
  CHECK(seconds([&] { allreduce_trees(complete(16, 1)); }) < most);
}

TEST_CASE("large packing: trees of 8 GPUs are found in time", "[pure]") {
  std::mt19937 random(24);
  for (const int links : {3, 6, 12, 18}) {
    const auto a = random_degrees(random, 8, links);
    CHECK(seconds([&] { check_whole(a); }) < 8);
  }
}

}  // namespace tributary::test_large_packing
