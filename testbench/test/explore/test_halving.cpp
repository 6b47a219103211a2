// Successive halving, and the check of its proxies.
#include <catch2/catch.hpp>
#include <set>

#include "testbench/explore/halving.h"
#include "testbench/explore/sampling.h"
#include "testbench/test/explore/known_functions.h"

namespace tributary::test_halving {

using namespace tributary::explore;

namespace {

using Proxy = std::function<double(const Point&, std::size_t rung)>;

std::vector<std::vector<Candidate>> rungs_of(Halving& halving, const Proxy& proxy) {
  std::vector<std::vector<Candidate>> rungs;
  for (auto asked = halving.ask(); !asked.empty(); asked = halving.ask()) {
    rungs.push_back(asked);
    std::vector<Score> scores;
    for (const Candidate& candidate : asked) scores.push_back({{proxy(candidate.point, candidate.rung)}});
    halving.tell(scores);
  }
  return rungs;
}

double true_value(const Point& point) { return 1.0 + 64 * point[0] + point[1]; }

}  // namespace

TEST_CASE("halving keeps the better part and a sample of the others", "[pure][explore]") {
  Halving halving(grid(numbered_space(2, 10), 100), {3, 0.5, 1});
  const auto rungs = rungs_of(halving, [](const Point& point, std::size_t) { return true_value(point); });
  REQUIRE(rungs.size() == 3);
  CHECK(rungs[0].size() == 100);
  CHECK(rungs[1].size() == 50 + 5);  // a tenth of 50
  CHECK(rungs[2].size() == 28 + 4);  // half of 55, and at least 4
  CHECK(rungs[0][0].rung == 1);
  CHECK(rungs[1][0].rung == 2);
  CHECK(rungs[2][0].rung == 0);  // the file as it is
  CHECK(rungs[2][0].point == Point{0, 0});
  for (std::size_t r = 1; r < 3; ++r) {
    CHECK(halving.reports()[r].correlation == 1.0);
    CHECK(halving.reports()[r].missed == 0);
    CHECK_FALSE(halving.reports()[r].misleads());
  }
  CHECK(halving.reports()[1].checked == 5);
  CHECK_FALSE(halving.reports()[0].correlation);
  std::set<Point> checked;
  for (std::size_t i = 50; i < 55; ++i) {
    CHECK(true_value(rungs[1][i].point) > true_value({4, 9}));
    checked.insert(rungs[1][i].point);
  }
  CHECK(checked.size() == 5);
}

TEST_CASE("a proxy that reverses the order is found out", "[pure][explore]") {
  Halving halving(grid(numbered_space(2, 10), 100), {2, 0.5, 1});
  rungs_of(halving,
           [](const Point& point, std::size_t rung) { return rung == 1 ? 1000 - true_value(point) : true_value(point); });
  const RungReport report = halving.reports().back();
  CHECK(report.correlation == -1.0);
  CHECK(report.misleads());
  CHECK(report.missed == 1);  // the best of all that ran was dropped
}

TEST_CASE("an objective of variables alone does not hide a bad proxy", "[pure][explore]") {
  Halving halving(grid(numbered_space(2, 10), 100), {2, 0.5, 1});
  for (auto asked = halving.ask(); !asked.empty(); asked = halving.ask()) {
    std::vector<Score> scores;
    for (const Candidate& candidate : asked) {
      const double time =
          1 + 10.0 * candidate.point[0] + (candidate.rung == 1 ? candidate.point[1] : 9 - candidate.point[1]);
      scores.push_back({{100.0 - 10.0 * candidate.point[0], time, 7}});
    }
    halving.tell(scores);
  }
  CHECK(halving.reports().back().correlation < 1);
}

TEST_CASE("wrong plans of a halving are refused", "[pure][explore]") {
  const std::vector<Point> points = grid(numbered_space(1, 10), 100);
  CHECK_THROWS_AS(Halving(points, {1, 0.5, 1}), PlanError);
  CHECK_THROWS_AS(Halving(points, {2, 1, 1}), PlanError);
  CHECK_THROWS_AS(Halving({{0}, {0}}, {2, 0.5, 1}), PlanError);
}

}  // namespace tributary::test_halving
