// Hypervolumes of fronts with 1 to 4 objectives.
#include <catch2/catch.hpp>
#include <random>

#include "testbench/explore/hypervolume.h"

namespace tributary::test_hypervolume {

using namespace tributary::explore;
using Points = std::vector<std::vector<double>>;

namespace {

/// Counts the unit cells of a cube of `edge` cells per axis that points with whole coordinates dominate.
double counted(const Points& points, std::size_t dimensions, unsigned edge) {
  std::size_t cells = 1, count = 0;
  for (std::size_t d = 0; d < dimensions; ++d) cells *= edge;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    bool dominated = false;
    for (const auto& point : points) {
      bool covers = true;
      std::size_t rest = cell;
      for (std::size_t d = 0; d < dimensions; ++d, rest /= edge)
        covers = covers && point[d] <= static_cast<double>(rest % edge);
      dominated = dominated || covers;
    }
    count += dominated ? 1 : 0;
  }
  return static_cast<double>(count);
}

}  // namespace

TEST_CASE("a hypervolume is the volume of the union of boxes", "[pure][explore]") {
  CHECK(hypervolume({{1}, {3}}, {4}) == 3);
  CHECK(hypervolume({{1, 3}, {2, 2}, {3, 1}}, {4, 4}) == 6);
  CHECK(hypervolume({{0, 0, 0}}, {2, 3, 4}) == 24);
  CHECK(hypervolume({{0, 0, 0, 0}, {0, 0, 0, 0}}, {1, 2, 3, 4}) == 24);
  CHECK(hypervolume({{4, 0}, {5, 5}}, {4, 4}) == 0);
  CHECK(hypervolume({}, {4, 4}) == 0);
}

TEST_CASE("hypervolumes equal a count of cells in up to four objectives", "[pure][explore]") {
  std::mt19937_64 random(11);
  for (std::size_t dimensions = 1; dimensions <= 4; ++dimensions)
    for (int round = 0; round < 20; ++round) {
      Points points;
      for (int i = 0; i < 25; ++i) {
        auto& point = points.emplace_back();
        for (std::size_t d = 0; d < dimensions; ++d) point.push_back(static_cast<double>(random() % 9));
      }
      CHECK(hypervolume(points, std::vector<double>(dimensions, 8)) == counted(points, dimensions, 8));
    }
}

TEST_CASE("the history of hypervolumes grows in ln of the objectives", "[pure][explore]") {
  const auto at = [](double a, double b, double violation = 0) { return Score{{a, b}, violation}; };
  HypervolumeHistory history;
  history.add({at(1, 1, 2)});
  CHECK(history.at(0) == 0);
  CHECK(history.reference().empty());
  history.add({at(1, 4), at(4, 1), at(1, 1, 1)});  // the box: ln 1 to ln 4
  CHECK(history.at(1) == Approx(0.1 * 1.1 * 2 - 0.01).epsilon(1e-12));
  history.add({at(2, 2), at(3, 3)});
  CHECK(history.at(2) == Approx(0.36 + 2 * 0.1 * 0.5).epsilon(1e-12));
  CHECK(history.at(1) == Approx(0.21).epsilon(1e-12));
  history.add({at(9, 9)});
  CHECK(history.at(3) == history.at(2));
  REQUIRE(history.reference().size() == 2);
  CHECK(history.reference()[0] == Approx(1.1 * std::log(4)).epsilon(1e-12));
}

TEST_CASE("an objective with values of both signs is not scaled", "[pure][explore]") {
  const Scale linear({-1, 0, 2}), positive({1, 2}), negative({-4, -1});
  CHECK(linear(2) == 2);
  CHECK(positive(1) == 0);
  CHECK(negative(-4) == Approx(-std::log(4)));
  CHECK(negative(-4) < negative(-1));
  CHECK_FALSE(linear.is_logarithmic());
}

}  // namespace tributary::test_hypervolume
