// Domination, fronts, crowding distances, and choices from a front.
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "testbench/explore/choices.h"
#include "testbench/explore/domination.h"

namespace tributary::test_domination {

using namespace tributary::explore;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
Score at(std::vector<double> objectives, double violation = 0) { return {std::move(objectives), violation}; }

/// Removes fronts one after another, as the definition says.
std::vector<std::size_t> fronts_by_definition(const std::vector<Score>& scores) {
  std::vector<std::size_t> numbers(scores.size(), 0);
  std::vector<bool> removed(scores.size(), false);
  for (std::size_t number = 0, left = scores.size(); left > 0; ++number) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      bool dominated = removed[i];
      for (std::size_t j = 0; j < scores.size(); ++j)
        dominated = dominated || (!removed[j] && dominates(scores[j], scores[i]));
      if (!dominated) front.push_back(i);
    }
    for (const std::size_t i : front) numbers[i] = number, removed[i] = true, --left;
  }
  return numbers;
}

}  // namespace

TEST_CASE("feasible scores dominate infeasible ones, which the violation orders", "[pure][explore]") {
  CHECK(dominates(at({1, 2}), at({1, 3})));
  CHECK_FALSE(dominates(at({1, 2}), at({1, 2})));
  CHECK_FALSE(dominates(at({1, 3}), at({2, 2})));
  CHECK(dominates(at({9, 9}), at({1, 1}, 0.1)));
  CHECK_FALSE(dominates(at({1, 1}, 0.1), at({9, 9})));
  CHECK(dominates(at({9, 9}, 0.1), at({1, 1}, 0.2)));
  CHECK(dominates(at({9, 9}, 5), at({}, infinity)));
  CHECK_FALSE(dominates(at({}, infinity), at({}, infinity)));
}

TEST_CASE("front numbers follow from the definition", "[pure][explore]") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Score> scores;
    const std::size_t objectives = 1 + round % 4;
    for (int i = 0; i < 40; ++i) {
      Score& score = scores.emplace_back();
      for (std::size_t m = 0; m < objectives; ++m) score.objectives.push_back(static_cast<double>(random() % 6));
      if (random() % 4 == 0) score.violation = static_cast<double>(1 + random() % 3);
    }
    scores.push_back({{}, infinity});
    CHECK(front_numbers(scores) == fronts_by_definition(scores));
  }
}

TEST_CASE("crowding distances add the relative gaps of each objective", "[pure][explore]") {
  const std::vector<Score> scores{at({0, 4}), at({1, 2}), at({4, 0}), at({2, 1}), at({5, 5})};
  const std::vector<std::size_t> fronts = front_numbers(scores);
  CHECK(fronts == std::vector<std::size_t>{0, 0, 0, 0, 1});
  const std::vector<double> distances = crowding_distances(scores, fronts);
  CHECK(distances[0] == infinity);
  CHECK(distances[2] == infinity);
  CHECK(distances[1] == 2.0 / 4 + 3.0 / 4);
  CHECK(distances[3] == 3.0 / 4 + 2.0 / 4);
  CHECK(distances[4] == infinity);
  CHECK(ranking(scores) == std::vector<std::size_t>{0, 2, 1, 3, 4});  // equal distances: by index
}

TEST_CASE("crowding distances of an objective above 0 are gaps of its logarithms", "[pure][explore]") {
  // log2 of the first objective: 0, 4, 5, 6. The second one has a 0, so its values count. By values alone, the third score
  // would precede the second: 48/63 against 31/63.
  const std::vector<Score> scores{at({1, 3}), at({16, 2}), at({32, 1}), at({64, 0})};
  const std::vector<double> distances = crowding_distances(scores, front_numbers(scores));
  CHECK(distances[1] == Approx(5.0 / 6 + 2.0 / 3));
  CHECK(distances[2] == Approx(2.0 / 6 + 2.0 / 3));
  CHECK(ranking(scores) == std::vector<std::size_t>{0, 3, 1, 2});
  // A period that is minimised and a rate that is maximised, which is stored with a minus sign, have the same gaps.
  const std::vector<Score> rates{at({-64, 3}), at({-4, 2}), at({-2, 1}), at({-1, 0})};
  const std::vector<double> of_rates = crowding_distances(rates, front_numbers(rates));
  for (const std::size_t i : {1, 2}) CHECK(of_rates[i] == Approx(distances[i]));
}

TEST_CASE("a front holds the feasible scores that nothing dominates", "[pure][explore]") {
  CHECK(front_of({at({1, 5}), at({2, 2}), at({3, 3}), at({0, 0}, 1), at({2, 2})}) == std::vector<std::size_t>{0, 1, 4});
  CHECK(front_of({at({0}, 1), at({}, infinity)}).empty());
  CHECK(front_of({}).empty());
}

TEST_CASE("the knee is nearest to the best of all objectives in ln", "[pure][explore]") {
  // ln: (0, 4), (1, 1), (4, 0) x ln 2. Shares: (0, 1), (0.25, 0.25), (1, 0).
  CHECK(knee_of({at({1, 16}), at({2, 2}), at({16, 1})}) == 1u);
  CHECK(knee_of({at({1, 16}), at({16, 1})}) == 0u);  // a tie: the first
  CHECK(knee_of({at({3})}) == 0u);
  CHECK_FALSE(knee_of({}));
  CHECK(knee_of({at({-4, 1}), at({-3.9, 0.1}), at({-1, 0.09})}) == 1u);  // a maximised objective
}

TEST_CASE("the best within the baseline costs no more", "[pure][explore]") {
  const std::vector<Score> front{at({1, 8}), at({2, 4}), at({4, 2}), at({8, 1})};
  CHECK(best_within(front, at({5, 3})) == 2u);
  CHECK(best_within(front, at({9, 8})) == 0u);
  CHECK_FALSE(best_within(front, at({1, 0.5})));
}

TEST_CASE("coverage is the dominated share of a front", "[pure][explore]") {
  const std::vector<Score> a{at({1, 4}), at({4, 1})}, b{at({2, 4}), at({3, 3}), at({5, 2}), at({0, 9})};
  CHECK(coverage(a, b) == 0.5);
  CHECK(coverage(b, a) == 0);
  CHECK(coverage(a, {}) == 0);
}

}  // namespace tributary::test_domination
