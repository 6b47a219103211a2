// Morris screening, Sobol indices, rank correlation and bootstrap.
#include <catch2/catch.hpp>

#include "testbench/explore/morris.h"
#include "testbench/explore/one_at_a_time.h"
#include "testbench/explore/problem.h"
#include "testbench/explore/random_source.h"
#include "testbench/explore/sampling.h"
#include "testbench/explore/sobol_indices.h"
#include "testbench/test/explore/known_functions.h"

namespace tributary::test_sensitivity {

using namespace tributary::explore;

namespace {

constexpr double pi = 3.14159265358979323846;

Score of(double value) {
  Score score;
  score.of = value;
  return score;
}

/// Ishigami and Homma, 1990: sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 on -pi to pi.
Score ishigami(const Point& point) {
  constexpr std::size_t values = 4096;
  const auto x = [&](std::size_t v) { return -pi + 2 * pi * (point[v] + 0.5) / values; };
  return of(std::sin(x(0)) + 7 * std::pow(std::sin(x(1)), 2) + 0.1 * std::pow(x(2), 4) * std::sin(x(0)));
}

struct Closed {
  double first[3], total[3];
};
/// The closed form with a = 7, b = 0.1.
Closed closed_ishigami() {
  constexpr double a = 7, b = 0.1;
  const double v1 = 0.5 * std::pow(1 + b * std::pow(pi, 4) / 5, 2), v2 = a * a / 8;
  const double v13 = b * b * std::pow(pi, 8) * (1.0 / 18 - 1.0 / 50), all = v1 + v2 + v13;
  return {{v1 / all, v2 / all, 0}, {(v1 + v13) / all, v2 / all, v13 / all}};
}

}  // namespace

TEST_CASE("one variable at a time moves to the neighbouring values", "[pure][explore]") {
  const Space space({{"a", {"1", "2", "3", "4"}, true}, {"b", {"x", "y", "z"}, false}, {"c", {"1", "2"}, true}});
  OneAtATime search(space, Point{2, 1, 0});
  const Explored found =
      explore_all(search, [](const Point& point) { return of(3.0 * point[0] - 5.0 * point[1] + 100.0 * point[2]); });
  CHECK(found.asked == 6);
  std::vector<std::tuple<std::size_t, std::uint32_t, double>> moves;
  for (const VariableMove& move : search.moves()) moves.emplace_back(move.variable, move.to, *move.change);
  CHECK(moves == decltype(moves){{0, 1, -3}, {0, 3, 3}, {1, 0, 5}, {1, 2, -5}, {2, 1, 100}});
}

TEST_CASE("one variable at a time begins at the knee that a search finds", "[pure][explore]") {
  const Space space = numbered_space(2, 9);
  // Minimise (a - 4)^2 + b^2 alone: its only front member is (4, 0).
  const auto value = [](const Point& point) {
    Score score = of(std::pow(point[0] - 4.0, 2) + std::pow(point[1], 2));
    score.objectives = {*score.of};
    return score;
  };
  OneAtATime search(space, std::make_unique<ListedPoints>(grid(space, 100)));
  CHECK(explore_all(search, value).asked == 81 + 4);
  CHECK(search.at() == Point{4, 0});
  REQUIRE(search.moves().size() == 3);
  for (const VariableMove& move : search.moves()) CHECK(move.change == 1);
  OneAtATime none(space, std::make_unique<ListedPoints>(grid(space, 100)));
  explore_all(none, [](const Point&) { return Problem::failed("stuck"); });
  CHECK_FALSE(none.at());
}

TEST_CASE("Morris effects of a linear function are its slopes", "[pure][explore]") {
  const Space space = numbered_space(4, 64);
  Morris morris(space, 8, 1);
  const Explored found =
      explore_all(morris, [](const Point& point) { return of(3.0 * point[0] - 5.0 * point[1] + 100.0 * point[2]); });
  CHECK(found.asked == 8 * 5);
  const double slopes[] = {3, 5, 100, 0};
  for (std::size_t v = 0; v < 4; ++v) {
    CHECK(morris.effects()[v].mu_star == slopes[v] * 63);
    CHECK(morris.effects()[v].sigma == 0);
    CHECK(morris.effects()[v].effects == 8);
  }
}

TEST_CASE("each step of a Morris trajectory moves one variable by half of its range", "[pure][explore]") {
  const Space space({{"a", {"1", "2", "3", "4", "5", "6", "7"}, true}, {"b", {"x", "y", "z"}, false}, {"c", {"1"}, true}});
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Morris morris(space, 10, seed);
    const std::vector<Candidate> asked = morris.ask();
    REQUIRE(asked.size() == 40);
    for (std::size_t i = 0; i < 40; ++i) {
      if (i % 4 == 0) continue;
      const Point &before = asked[i - 1].point, &now = asked[i].point;
      const int moved = (before[0] != now[0]) + (before[1] != now[1]) + (before[2] != now[2]);
      CHECK(moved <= 1);
      CHECK(now[0] < 7);
      if (before[0] != now[0]) CHECK(std::abs(static_cast<int>(before[0]) - static_cast<int>(now[0])) == 3);
    }
  }
}

TEST_CASE("Morris reports interactions and skips missing results", "[pure][explore]") {
  Morris morris(numbered_space(3, 64), 30, 2);
  explore_all(morris,
              [](const Point& point) { return point[2] == 0 ? Score{} : of(point[0] * static_cast<double>(point[1])); });
  CHECK(morris.effects()[0].sigma > 0.2 * morris.effects()[0].mu_star);
  CHECK(morris.effects()[2].mu_star == 0);
  Morris names(Space({{"how", {"a", "b", "c"}, false}}), 20, 2);
  explore_all(names, [](const Point& point) { return of(point[0] == 0 ? 0.0 : 5.0); });
  CHECK(names.effects()[0].mu_star > 0);
  CHECK(names.effects()[0].mu_star <= 5);
}

TEST_CASE("Sobol indices of Ishigami agree with the closed form", "[pure][explore]") {
  const Closed closed = closed_ishigami();
  for (const std::uint64_t seed : {1, 2, 3}) {
    SobolIndices indices(numbered_space(3, 4096), 1024, seed);
    const std::vector<Candidate> asked = indices.ask();
    CHECK(asked.size() == 1024 * 5);
    std::vector<Score> scores;
    for (const Candidate& candidate : asked) scores.push_back(ishigami(candidate.point));
    indices.tell(scores);
    CHECK(indices.ask().empty());
    for (std::size_t v = 0; v < 3; ++v) {
      CHECK(indices.indices()[v].first == Approx(closed.first[v]).margin(0.05));
      CHECK(indices.indices()[v].total == Approx(closed.total[v]).margin(0.05));
    }
  }
}

TEST_CASE("intervals of Sobol indices hold the closed form", "[pure][explore]") {
  const Closed closed = closed_ishigami();
  constexpr int seeds = 100;
  int first[3] = {}, total[3] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    SobolIndices indices(numbered_space(3, 4096), 1024, static_cast<std::uint64_t>(seed));
    std::vector<Score> scores;
    for (const Candidate& candidate : indices.ask()) scores.push_back(ishigami(candidate.point));
    indices.tell(scores);
    for (std::size_t v = 0; v < 3; ++v) {
      const SobolIndex& index = indices.indices()[v];
      first[v] += index.first_within.low <= closed.first[v] && closed.first[v] <= index.first_within.high;
      total[v] += index.total_within.low <= closed.total[v] && closed.total[v] <= index.total_within.high;
    }
  }
  // At least 95 of 100 within 3. More, because a Sobol sequence is more even than the random rows of a bootstrap.
  for (std::size_t v = 0; v < 3; ++v) {
    CHECK(first[v] >= 92);
    CHECK(total[v] >= 92);
  }
}

TEST_CASE("Sobol indices leave out rows without a result", "[pure][explore]") {
  SobolIndices indices(numbered_space(2, 64), 256, 1);
  explore_all(indices, [](const Point& point) { return point[0] == 5 ? Score{} : of(point[0]); });
  CHECK(indices.rows_without_result() == 8);  // 4 rows of A and 4 of B, of which few coincide
  CHECK(indices.indices()[0].total == Approx(1).margin(0.1));
  CHECK(indices.indices()[1].total == 0);
  SobolIndices constant(numbered_space(2, 64), 16, 1);
  explore_all(constant, [](const Point&) { return of(3); });
  CHECK(constant.indices()[0].total == 0);
  CHECK_THROWS_AS(SobolIndices(numbered_space(2, 64), 100, 1), PlanError);
}

TEST_CASE("rank correlations compare orders, with mean ranks for ties", "[pure][explore]") {
  CHECK(rank_correlation({1, 2, 3}, {10, 20, 90}) == 1.0);
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == -1.0);
  CHECK(ranks_of({5, 1, 5, 2}) == std::vector<double>{3.5, 1, 3.5, 2});
  CHECK(*rank_correlation({1, 2, 3, 4, 5}, {5, 6, 7, 8, 7}) == Approx(0.8207826817));  // a textbook example
  CHECK_FALSE(rank_correlation({1, 1, 1}, {1, 2, 3}));
  CHECK_FALSE(rank_correlation({1}, {2}));
}

TEST_CASE("a bootstrap interval of a mean has the width of the normal law", "[pure][explore]") {
  const auto mean = [](const std::vector<std::size_t>& sample) {
    double sum = 0;
    for (const std::size_t row : sample) sum += static_cast<double>(row % 2);
    return std::vector<double>{sum / static_cast<double>(sample.size())};
  };
  const Interval interval = bootstrap(400, 1000, 1, mean).front();
  CHECK(interval.low == Approx(0.5 - 1.96 * 0.025).margin(0.01));
  CHECK(interval.high == Approx(0.5 + 1.96 * 0.025).margin(0.01));
}

TEST_CASE("bootstrap intervals hold the mean of random rows in 95 of 100 samples", "[pure][explore]") {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomSource random(77, seed);
    std::vector<double> values(100);
    for (double& value : values) value = random.uniform();
    const Interval interval = bootstrap(values.size(), 1000, seed, [&](const std::vector<std::size_t>& sample) {
                                double sum = 0;
                                for (const std::size_t row : sample) sum += values[row];
                                return std::vector<double>{sum / static_cast<double>(sample.size())};
                              }).front();
    held += interval.low <= 0.5 && 0.5 <= interval.high;
  }
  CHECK(held >= 184);  // 92 %
  CHECK(held <= 196);  // 98 %
}

}  // namespace tributary::test_sensitivity
