/// TreeGen on the two DGX-1 and on random links (docs/systems/blink.md#trees).
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "platforms/topology/dgx1.h"
#include "testbench/collective/packing/ring_search.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/test/harness/blink_classes.h"
#include "testbench/test/harness/random_links.h"

namespace tributary::test_tree_generator {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

topology::Allocation v100(const std::vector<int>& gpus) { return topology::allocation(topology::dgx1v(), gpus); }
topology::Allocation p100(const std::vector<int>& gpus) { return topology::allocation(topology::dgx1p(), gpus); }
const std::vector<int> all_gpus{0, 1, 2, 3, 4, 5, 6, 7};

/// Checks that weights are multiples of 1/step, that at most 5 % of the rate is missing, and that the bound equals the
/// caller's.
void check_allreduce(const GeneratedTrees& trees, const Fraction& rate) {
  CHECK_NOTHROW(verify(trees.graph, trees.packing, false));
  CHECK(trees.bound == rate);
  CHECK(trees.partition->rate() == rate);
  CHECK_FALSE(rate < trees.packing.rate());
  CHECK(trees.packing.rate().value() >= 0.95 * rate.value() - 1e-9);
  if (trees.step > 0) CHECK(trees.step % trees.packing.rate().denominator == 0);
  for (const PackedTree& tree : trees.packing.trees)  // a tree from its centre is half as deep as its longest path
    CHECK(2 * tree.depth <= trees.graph.nodes);
}

void check_class(const topology::Server& server, const blink_classes::Class& expected) {
  const topology::Allocation a = topology::allocation(server, expected.gpus);
  for (int root = 0; root < a.ranks(); ++root) {
    const GeneratedTrees trees = broadcast_trees(a, root);
    CHECK_NOTHROW(verify(trees.graph, trees.packing, true));
    CHECK(trees.packing.rate() == Fraction(expected.broadcast));
    CHECK(trees.bound == Fraction(expected.broadcast));
    CHECK(trees.cut->capacity == expected.broadcast);
    CHECK(trees.fractional_rate >= 0.9 * expected.broadcast);
    CHECK(std::all_of(trees.packing.trees.begin(), trees.packing.trees.end(),
                      [&](const PackedTree& t) { return t.root == root; }));
  }
  check_allreduce(allreduce_trees(a), {expected.crossing, expected.cuts});
  const Rings rings = find_rings(a);
  CHECK(rings.most);
  CHECK(rings.links() == expected.rings);
}

void check_random(unsigned seed, int least, int graphs) {
  std::mt19937 random(seed);
  for (int i = 0; i < graphs; ++i) {
    const auto a = random_links(random, least + i % 4, 3);
    const int root = i % a.ranks();
    const GeneratedTrees one = broadcast_trees(a, root, {0.1, 0.05});
    CHECK(one.packing.rate() == Fraction(least_cut(directed_links(a), root).capacity));
    CHECK_NOTHROW(verify(one.graph, one.packing, true));
    CHECK(one.fractional_rate >= 0.8 * one.bound.value());
    const GeneratedTrees many = allreduce_trees(a, {0.1, 0.05});
    check_allreduce(many, many.partition->rate());
  }
}

}  // namespace

TEST_CASE("TreeGen: there are 6 trees on 8 V100, 4 on 8 P100, 3 on six P100", "[pure]") {
  const auto trees = [](const topology::Allocation& a) {
    const GeneratedTrees found = broadcast_trees(a, 0);
    CHECK(found.fewest);
    CHECK(std::all_of(found.packing.trees.begin(), found.packing.trees.end(),
                      [&](const PackedTree& t) { return found.packing.weight(t) == Fraction(1); }));
    return found.packing.trees.size();
  };
  CHECK(trees(v100(all_gpus)) == 6);
  CHECK(trees(p100(all_gpus)) == 4);
  CHECK(trees(p100({0, 1, 3, 4, 5, 7})) == 3);
  CHECK(find_rings(p100({0, 1, 3, 4, 5, 7})).links() == 2);
  CHECK(find_rings(p100(all_gpus)).links() == 4);
}

TEST_CASE("TreeGen: candidates without a packing of whole trees are completed by cuts", "[pure]") {
  const GeneratedTrees few = broadcast_trees(p100({0, 1, 2, 4, 5, 6}), 0, {0.4, 0.05});
  CHECK(few.completed);
  CHECK(few.packing.rate() == Fraction(3));
  CHECK(few.packing.trees.size() == 3);
  CHECK_NOTHROW(verify(few.graph, few.packing, true));
  CHECK_FALSE(broadcast_trees(p100({0, 1, 2, 4, 5, 6}), 0).completed);
}

TEST_CASE("TreeGen: one tree of weight 2 is found if every pair has two links", "[pure]") {
  const GeneratedTrees found = broadcast_trees(v100({0, 3, 4}), 0);
  REQUIRE(found.packing.trees.size() == 1);
  CHECK(found.packing.weight(found.packing.trees[0]) == Fraction(2));
  CHECK(found.packing.depth() == 1);
  CHECK(find_rings(v100({0, 3, 4})).directed.empty());
}

TEST_CASE("TreeGen: an all-reduce of 8 V100 is within 5 % of 24/7 in eighths", "[pure]") {
  const GeneratedTrees found = allreduce_trees(v100(all_gpus));
  CHECK(found.bound == Fraction(24, 7));
  CHECK(found.partition->parts == 8);
  CHECK(found.packing.rate() == Fraction(27, 8));  // 3, 3 and 13/4 in whole links, halves and quarters: at least 5.2 % below
  CHECK(found.step == 8);
  CHECK(allreduce_trees(v100(all_gpus), {0.05, 0.06}).packing.rate() == Fraction(13, 4));
}

TEST_CASE("TreeGen: trees of a packing in whole links exchange edges until none is deep", "[pure]") {
  // A rank four links away needs a tree of depth 4 or more; none needs depth 5, as the program's first choice has.
  CHECK(broadcast_trees(p100(all_gpus), 0).packing.depth() <= 4);
  CHECK(broadcast_trees(v100(all_gpus), 0).packing.depth() <= 5);
  CHECK(allreduce_trees(p100(all_gpus)).packing.depth() <= 3);
}

TEST_CASE("TreeGen: weights are no finer than requested, or those of the linear program", "[pure]") {
  TreeOptions options;
  options.finest = 0;  // the bound itself, without steps
  const GeneratedTrees any = allreduce_trees(v100(all_gpus), options);
  CHECK(any.step == 0);
  CHECK(any.packing.rate() == Fraction(24, 7));
  options.finest = 4, options.threshold = 0.06;
  CHECK(allreduce_trees(v100(all_gpus), options).step == 4);
  options.threshold = 0.05;  // 13/4 is 5.2 % below
  CHECK(allreduce_trees(v100(all_gpus), options).step == 0);
}

TEST_CASE("TreeGen: shallow trees of an all-reduce have the rate of the fewest trees, and no more depth", "[pure]") {
  TreeOptions options;
  options.least_depth = true;
  for (const topology::Server& server : {topology::dgx1v(), topology::dgx1p()}) {
    const topology::Allocation a = topology::allocation(server, all_gpus);
    const GeneratedTrees fewest = allreduce_trees(a), shallow = allreduce_trees(a, options);
    CHECK_NOTHROW(verify(shallow.graph, shallow.packing, false));
    CHECK(shallow.packing.rate() == fewest.packing.rate());
    CHECK(shallow.packing.depth() == 2);  // every GPU is within two links of the others, and none has links to all
    CHECK(shallow.packing.trees.size() >= fewest.packing.trees.size());
  }
  CHECK(allreduce_trees(p100(all_gpus)).packing.depth() == 2);  // no more trees than deeper ones
}

TEST_CASE("TreeGen: an all-reduce over a full mesh of 8 has four whole trees", "[pure]") {
  topology::Allocation mesh{all_gpus, std::vector<std::vector<int>>(8, std::vector<int>(8, 1))};
  for (std::size_t r = 0; r < 8; ++r) mesh.links[r][r] = 0;
  const GeneratedTrees found = allreduce_trees(mesh);
  CHECK(found.bound == Fraction(4));  // 28 links between 8 parts
  CHECK(found.packing.rate() == Fraction(4));
  CHECK(found.packing.trees.size() == 4);  // no tree carries more than a link
  CHECK(found.fewest);
}

TEST_CASE("TreeGen: with one root for all trees of an all-reduce, trees are as deep or deeper", "[pure]") {
  TreeOptions options;
  options.common_root = true;
  for (const topology::Allocation& a : {v100(all_gpus), p100(all_gpus), v100({1, 4, 5, 6})}) {
    const GeneratedTrees own = allreduce_trees(a), common = allreduce_trees(a, options);
    CHECK_NOTHROW(verify(common.graph, common.packing, false));
    CHECK(common.packing.rate() == own.packing.rate());
    CHECK(common.packing.depth() >= own.packing.depth());
    for (const PackedTree& tree : common.packing.trees) {
      CHECK(tree.root == common.packing.trees.front().root);
      CHECK(tree.depth == rooted_tree(common.graph, tree.edges, tree.root, false).height());
    }
  }
}

TEST_CASE("TreeGen: 46 classes of a DGX-1V have the independently computed rates and rings", "[pure]") {
  REQUIRE(blink_classes::dgx1v.size() == 46);
  const auto classes = topology::allocation_classes(topology::dgx1v(), 3, 8);
  for (std::size_t i = 0; i < 46; ++i) {
    const auto same = [&](const topology::AllocationClass& c) {
      return c.first.gpus == blink_classes::dgx1v[i].gpus && static_cast<int>(c.gpus.size()) == blink_classes::dgx1v[i].sets;
    };
    CHECK(std::any_of(classes.begin(), classes.end(), same));
    check_class(topology::dgx1v(), blink_classes::dgx1v[i]);
  }
}

TEST_CASE("TreeGen: 14 classes of a DGX-1P have the independently computed rates and rings", "[pure]") {
  REQUIRE(blink_classes::dgx1p.size() == 14);
  for (const blink_classes::Class& c : blink_classes::dgx1p) check_class(topology::dgx1p(), c);
}

TEST_CASE("TreeGen: random links of 3 to 6 ranks have valid trees", "[pure]") { check_random(1, 3, 120); }
TEST_CASE("TreeGen: random links of 7 to 10 ranks have valid trees", "[pure]") { check_random(2, 7, 40); }
TEST_CASE("TreeGen: random links of 11 to 14 ranks have valid trees", "[pure]") { check_random(3, 11, 30); }
TEST_CASE("TreeGen: random links of 13 to 16 ranks have valid trees", "[pure]") { check_random(4, 13, 10); }

TEST_CASE("TreeGen: ranks that no NVLink connects are rejected", "[pure]") {
  CHECK_THROWS_AS(broadcast_trees(v100({1, 4, 6}), 0), ScheduleError);
  CHECK_THROWS_WITH(allreduce_trees(v100({1, 2, 4})), Contains("NVLinks do not join GPU 4 to GPU 1"));
  CHECK_THROWS_AS(broadcast_trees(v100({1}), 0), ScheduleError);
}

}  // namespace tributary::test_tree_generator
