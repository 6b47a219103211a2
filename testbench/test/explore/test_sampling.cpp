// Samples of a space.
#include <catch2/catch.hpp>
#include <set>

#include "testbench/explore/random_source.h"
#include "testbench/explore/sampling.h"
#include "testbench/test/explore/known_functions.h"

namespace tributary::test_sampling {

using namespace tributary::explore;

TEST_CASE("a Latin hypercube has one point in each stratum", "[pure][explore]") {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const std::size_t count : {1, 7, 16, 64}) {
      const Space space = numbered_space(3, 64);
      const std::vector<Point> points = latin_hypercube(space, count, seed);
      for (std::size_t v = 0; v < 3; ++v) {
        std::set<std::size_t> strata;
        for (const Point& point : points) strata.insert(((2 * point[v] + 1) * count) / 128);  // by the middle of the value
        if (64 % count == 0) CHECK(strata.size() == count);
      }
    }
}

TEST_CASE("a Latin hypercube with more points than values uses each value equally", "[pure][explore]") {
  std::vector<int> used(4, 0);
  for (const Point& point : latin_hypercube(numbered_space(2, 4), 40, 5)) ++used[point[1]];
  CHECK(used == std::vector<int>{10, 10, 10, 10});
}

TEST_CASE("a Sobol sample is balanced over each variable and each pair", "[pure][explore]") {
  for (const std::uint64_t seed : {1, 9}) {
    const std::vector<Point> points = sobol_sample(numbered_space(4, 16), 256, seed);
    for (std::size_t v = 0; v < 4; ++v) {
      std::vector<int> used(16, 0);
      for (const Point& point : points) ++used[point[v]];
      CHECK(used == std::vector<int>(16, 16));
    }
    std::set<std::pair<unsigned, unsigned>> pairs;  // the first two dimensions form a (0, 8, 2) net
    for (const Point& point : points) pairs.insert({point[0], point[1]});
    CHECK(pairs.size() == 256);
  }
  CHECK(sobol_sample(numbered_space(2, 64), 16, 1) != sobol_sample(numbered_space(2, 64), 16, 2));
}

TEST_CASE("a grid holds every point once, and has a limit", "[pure][explore]") {
  const Space space({{"a", {"1", "2"}, true}, {"b", {"x", "y", "z"}, false}});
  CHECK(grid(space, 6) == std::vector<Point>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK_THROWS_WITH(grid(space, 5), Catch::Contains("the grid has 6 points (legal: up to 5"));
  CHECK_THROWS_AS(grid(numbered_space(12, 4096), 2000), PlanError);
}

TEST_CASE("listed points are asked for once", "[pure][explore]") {
  ListedPoints search({{0}, {1}, {0}});
  CHECK(explore_all(search, [](const Point&) { return Score{{1}}; }).asked == 2);
}

TEST_CASE("normal numbers have mean 0 and variance 1", "[pure][explore]") {
  RandomSource random(1, 1);
  double sum = 0, squares = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x, squares += x * x;
  }
  CHECK(std::fabs(sum / count) < 0.02);
  CHECK(squares / count == Approx(1).margin(0.03));
}

}  // namespace tributary::test_sampling
