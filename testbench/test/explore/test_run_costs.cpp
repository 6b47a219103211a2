// Estimated times of runs, and the order in which they start.
#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/explore/run_costs.h"

namespace tributary::test_run_costs {

using namespace tributary::explore;

namespace {

/// A size of five values, a link of two values, and an algorithm.
Space space() {
  return Space({{"size", {"1KiB", "4KiB", "16KiB", "64KiB", "256KiB"}, true},
                {"link", {"25GB/s", "50GB/s"}, true},
                {"how", {"push", "pull", "ring"}, false}});
}

}  // namespace

TEST_CASE("the cost of a run is the time of the nearest finished run of its kind", "[pure][explore]") {
  RunCosts costs(space());
  CHECK_FALSE(costs.estimate(0, {0, 0, 0}));
  costs.add(0, {4, 0, 0}, 8);
  CHECK(costs.estimate(0, {0, 1, 2}) == 8.0);  // the only one
  costs.add(0, {0, 0, 0}, 1);
  CHECK(costs.estimate(0, {1, 0, 0}) == 1.0);  // 1/4 of the list against 3/4
  CHECK(costs.estimate(0, {3, 0, 0}) == 8.0);
  CHECK(costs.estimate(0, {2, 0, 0}) == 8.0);  // equally near: the first
  costs.add(0, {0, 0, 1}, 3);
  CHECK(costs.estimate(0, {1, 0, 1}) == 3.0);
  // Another name is as far as the whole list of an ordered variable. From a push of 256 KiB at 50 GB/s: 1 to the push of 256
  // KiB, 1 + 1 to that of 1 KiB. From a pull of 64 KiB at 25 GB/s: 1/16 + 1 to the push of 256 KiB, 9/16 to the pull.
  CHECK(costs.estimate(0, {4, 1, 0}) == 8.0);
  CHECK(costs.estimate(0, {3, 0, 1}) == 3.0);
}

TEST_CASE("kinds of runs have times of their own", "[pure][explore]") {
  RunCosts costs(space());
  costs.add(2, {0, 0, 0}, 5);
  CHECK_FALSE(costs.estimate(0, {0, 0, 0}));
  CHECK_FALSE(costs.estimate(3, {0, 0, 0}));
  CHECK(costs.estimate(2, {0, 0, 0}) == 5.0);
}

TEST_CASE("the longest runs start first, those without an estimate before them", "[pure][explore]") {
  std::vector<std::optional<double>> costs{1, 5, std::nullopt, 3, 5};
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return starts_before(costs[a], costs[b]); });
  CHECK(order == std::vector<std::size_t>{2, 1, 4, 3, 0});
  CHECK_FALSE(starts_before(std::nullopt, std::nullopt));
}

TEST_CASE("a variable of one value adds nothing to a distance", "[pure][explore]") {
  RunCosts costs(Space({{"only", {"1"}, true}, {"n", {"1", "2", "3"}, true}}));
  costs.add(0, {0, 0}, 1);
  costs.add(0, {0, 2}, 2);
  CHECK(costs.estimate(0, {0, 2}) == 2.0);
}

}  // namespace tributary::test_run_costs
