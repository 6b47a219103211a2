/// Trees that runs share: each packing is searched once, and does not depend on the searches before it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "platforms/topology/dgx1.h"
#include "testbench/cli/sweep/shared_searches.h"
#include "testbench/collective/packing/kept_trees.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/run/run_spec.h"

namespace tributary::test_kept_trees {

using namespace tributary::collective;

namespace {

topology::Allocation v100(const std::vector<int>& gpus) { return topology::allocation(topology::dgx1v(), gpus); }

void check_equal(const GeneratedTrees& a, const GeneratedTrees& b) {
  CHECK(a.packing.denominator == b.packing.denominator);
  CHECK(std::equal(a.packing.trees.begin(), a.packing.trees.end(), b.packing.trees.begin(), b.packing.trees.end(),
                   [](const PackedTree& x, const PackedTree& y) {
                     return x.edges == y.edges && x.root == y.root && x.depth == y.depth && x.units == y.units;
                   }));
}

RunSpec point(const std::vector<int>& gpus, const std::shared_ptr<KeptTrees>& trees) {
  RunSpec spec;
  spec.platform = "dgx1v";
  spec.jobs.front().collective = "allreduce", spec.jobs.front().algorithm = "blink", spec.jobs.front().ranks = gpus;
  spec.trees = trees;
  return spec;
}

const std::vector<int> four{0, 1, 2, 3}, five{0, 1, 2, 3, 4}, eight{0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

TEST_CASE("a packing is searched once for each graph, root and options") {
  KeptTrees kept;
  const GeneratedTrees* const first = &kept.allreduce(v100(four), {});
  CHECK(&kept.allreduce(v100(four), {}) == first);
  CHECK(kept.searches() == 1);
  check_equal(*first, allreduce_trees(v100(four)));
  const GeneratedTrees* const from_two = &kept.broadcast(v100(four), 2, {});
  CHECK(&kept.broadcast(v100(four), 1, {}) != from_two);
  CHECK(&kept.broadcast(v100(four), 2, {}) == from_two);
  CHECK(kept.searches() == 3);
  check_equal(*from_two, broadcast_trees(v100(four), 2));
  CHECK(&kept.allreduce(v100(five), {}) != first);
  CHECK(kept.searches() == 4);
}

TEST_CASE("each option of a search gives a packing of its own") {
  KeptTrees kept;
  const TreeOptions changed[] = {{0.1, 0.05, 8, false, false},
                                 {0.05, 0.1, 8, false, false},
                                 {0.05, 0.05, 1, false, false},
                                 {0.05, 0.05, 8, true, false},
                                 {0.05, 0.05, 8, false, true}};
  kept.allreduce(v100(four), {});
  for (const TreeOptions& options : changed) kept.allreduce(v100(four), options);
  CHECK(kept.searches() == 6);
}

TEST_CASE("GPUs with the same links share a packing") {
  REQUIRE(v100(four).links == v100({4, 5, 6, 7}).links);
  KeptTrees kept;
  kept.allreduce(v100(four), {});
  kept.allreduce(v100({4, 5, 6, 7}), {});
  CHECK(kept.searches() == 1);
}

TEST_CASE("a packing does not depend on the searches before it") {
  KeptTrees forwards, backwards;
  const TreeOptions shallow{0.05, 0.05, 8, true, false};
  const std::vector<std::vector<int>> orders{eight, five, {0, 1, 4, 5, 6, 7}, {1, 2, 3, 5, 6, 7}, four};
  for (auto gpus = orders.begin(); gpus != orders.end(); ++gpus)
    forwards.allreduce(v100(*gpus), shallow), forwards.broadcast(v100(*gpus), 0, {});
  for (auto gpus = orders.rbegin(); gpus != orders.rend(); ++gpus)
    backwards.broadcast(v100(*gpus), 0, {}), backwards.allreduce(v100(*gpus), shallow);
  for (const std::vector<int>& gpus : orders) {
    check_equal(forwards.allreduce(v100(gpus), shallow), backwards.allreduce(v100(gpus), shallow));
    check_equal(forwards.broadcast(v100(gpus), 0, {}), backwards.broadcast(v100(gpus), 0, {}));
  }
  CHECK(forwards.searches() == 2 * orders.size());
}

TEST_CASE("a search that fails is not kept") {
  KeptTrees kept;
  CHECK_THROWS_AS(kept.allreduce(v100({1, 2, 4}), {}), ScheduleError);
  CHECK_THROWS_AS(kept.allreduce(v100({1, 2, 4}), {}), ScheduleError);
  CHECK(kept.searches() == 0);
}

TEST_CASE("the first point of a sweep searches for all, unless others run at the same time") {
  const auto trees = std::make_shared<KeptTrees>();
  SharedSearches alone(1);
  alone.prepare(point(four, trees));
  CHECK(trees->searches() == 1);
  alone.prepare(point(four, trees));
  CHECK(trees->searches() == 1);

  const auto parallel_trees = std::make_shared<KeptTrees>();
  SharedSearches parallel(2);
  parallel.prepare(point(four, parallel_trees));
  parallel.prepare(point(five, parallel_trees));
  CHECK(parallel_trees->searches() == 0);
  parallel.prepare(point(four, parallel_trees));
  CHECK(parallel_trees->searches() == 1);
}

TEST_CASE("points that cannot run or search nothing are left to their processes") {
  const auto trees = std::make_shared<KeptTrees>();
  SharedSearches searches(1);
  RunSpec refused = point({0, 99}, trees), rings = point(four, trees), other = point(four, trees);
  rings.jobs.front().algorithm = "nccl";
  other.platform = "torus:2x2", other.jobs.front().algorithm = "ring";
  for (const RunSpec& spec : {refused, rings, other}) CHECK_NOTHROW(searches.prepare(spec));
  CHECK(trees->searches() == 0);
}

}  // namespace tributary::test_kept_trees
