// Bisection and its check, on a step, a sawtooth, a constant and others.
#include <catch2/catch.hpp>

#include "testbench/explore/bisection.h"
#include "testbench/test/explore/known_functions.h"

namespace tributary::test_bisection {

using namespace tributary::explore;

namespace {

struct Bisected {
  BisectionResult result;
  std::size_t runs = 0;
};

/// Bisects variable x1 of two variables; x0 stays at 1.
Bisected bisected(std::size_t values, const std::function<double(unsigned)>& of, double keep = 0.95,
                  bool against_last = true) {
  Bisection bisection(numbered_space(2, values), {1, 0}, {1, keep, against_last});
  const Explored found = explore_all(bisection, [&](const Point& point) {
    CHECK(point[0] == 1);
    Score score;
    score.of = of(point[1]);
    return score;
  });
  CHECK(found.asked == found.points.size());  // no value runs twice
  return {bisection.result(), found.asked};
}

}  // namespace

TEST_CASE("bisection finds a step", "[pure][explore]") {
  for (unsigned step = 0; step < 1000; step += 37) {
    const Bisected found = bisected(1000, [&](unsigned x) { return x >= step ? 100.0 : 10.0; });
    CHECK(found.result.answer == step);
    CHECK(found.result.is_monotone);
    CHECK_FALSE(found.result.drop);
    CHECK(found.runs <= 2 + 2 * 10 + 6);
  }
}

TEST_CASE("bisection finds the largest value that keeps a share of the first", "[pure][explore]") {
  const Bisected found = bisected(
      200, [](unsigned x) { return 1 / (1 + x / 1000.0); }, 0.9, false);
  CHECK(found.result.answer == 111u);  // 1 / 1.111 = 0.9001
  CHECK(found.result.is_monotone);
}

TEST_CASE("bisection of a constant answers with the far end", "[pure][explore]") {
  const Bisected found = bisected(9, [](unsigned) { return 5.0; });
  CHECK(found.result.answer == 0u);
  CHECK(found.result.is_monotone);
  CHECK_FALSE(found.result.drop);
  CHECK(found.runs == 7);  // both ends, the neighbour 1, and 2, 3, 5, 6
  CHECK(bisected(1, [](unsigned) { return 5.0; }).result.answer == 0u);
}

TEST_CASE("the check of a bisection runs all values of a sawtooth", "[pure][explore]") {
  // 19, 24 and 29 fail, although 16 to 18 keep the share.
  const auto sawtooth = [](unsigned x) { return x < 16 ? 50.0 : x % 5 == 4 ? 80.0 : 100.0; };
  const Bisected found = bisected(32, sawtooth);
  CHECK_FALSE(found.result.is_monotone);
  CHECK(found.runs == 32);
  CHECK(found.result.answer == 30u);  // from here on, all keep the share
  REQUIRE(found.result.counter_example);
  CHECK(sawtooth(*found.result.counter_example) < 95);
  CHECK(found.result.drop == std::make_pair(18u, 19u));
}

TEST_CASE("a long sawtooth is marked, with a counter-example", "[pure][explore]") {
  const auto sawtooth = [](unsigned x) { return x < 100 ? 50.0 : x % 5 == 1 ? 80.0 : 100.0; };
  const Bisected found = bisected(1000, sawtooth);
  CHECK_FALSE(found.result.is_monotone);
  CHECK(found.runs < 40);
  REQUIRE(found.result.counter_example);
  CHECK(*found.result.counter_example >= 100);
  CHECK(sawtooth(*found.result.counter_example) < 95);
}

TEST_CASE("a drop among values that fail is reported", "[pure][explore]") {
  // Times of a push at 50 GB/s over its table (ns): 128 B is faster than 256 B, and 512 B is the answer.
  const std::vector<double> times{14485, 15417, 9000, 5097, 5096, 5095, 5095, 5095, 5095};
  const Bisected found = bisected(9, [&](unsigned x) { return 1e6 / times[x]; });
  CHECK(found.result.answer == 3u);
  CHECK(found.result.is_monotone);
  CHECK(found.result.drop == std::make_pair(0u, 1u));
  CHECK(found.runs == 8);
}

TEST_CASE("values without a result do not keep the share", "[pure][explore]") {
  Bisection bisection(numbered_space(1, 40), {0}, {0, 0.95, true});
  explore_all(bisection, [](const Point& point) {
    Score score;
    if (point[0] < 11) score.violation = 1, score.reason = "refused";
    if (point[0] >= 5) score.of = 100;
    return score;
  });
  CHECK(bisection.result().answer == 11u);
  Bisection without(numbered_space(1, 40), {0}, {0, 0.95, true});
  const Explored found = explore_all(without, [](const Point&) { return Score{}; });
  CHECK(found.asked == 2);
  CHECK_FALSE(without.result().answer);
  CHECK(without.result().reason == "the reference has no feasible result");
}

TEST_CASE("wrong plans of a bisection are refused", "[pure][explore]") {
  CHECK_THROWS_AS(Bisection(numbered_space(1, 4), {0}, {0, 0, true}), PlanError);
  CHECK_THROWS_AS(Bisection(numbered_space(1, 4), {0}, {0, 1.1, true}), PlanError);
  CHECK_THROWS_AS(Bisection(Space({{"how", {"a", "b"}, false}}), {0}, {0, 0.9, true}), PlanError);
}

}  // namespace tributary::test_bisection
