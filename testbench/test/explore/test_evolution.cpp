// NSGA-II on functions with known fronts.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "testbench/explore/domination.h"
#include "testbench/explore/evolution.h"
#include "testbench/test/explore/known_functions.h"

namespace tributary::test_evolution {

using namespace tributary::explore;
using Values = std::vector<double>;

namespace {

constexpr std::size_t values = 64;
constexpr double pi = 3.14159265358979323846;

/// Zitzler, Deb and Thiele, 2000.
Score zdt(const Point& point, bool convex) {
  const double x = share_of(point, 0, values);
  double g = 1;
  for (std::size_t v = 1; v < point.size(); ++v)
    g += 9 * share_of(point, v, values) / (static_cast<double>(point.size()) - 1);
  return {{x, g * (1 - (convex ? std::sqrt(x / g) : x / g * x / g))}};
}

/// Deb, Thiele, Laumanns and Zitzler, 2002, with three objectives.
Score dtlz2(const Point& point) {
  double g = 0;
  for (std::size_t v = 2; v < point.size(); ++v) g += std::pow(share_of(point, v, values) - 0.5, 2);
  const double a = share_of(point, 0, values) * pi / 2, b = share_of(point, 1, values) * pi / 2;
  return {{(1 + g) * std::cos(a) * std::cos(b), (1 + g) * std::cos(a) * std::sin(b), (1 + g) * std::sin(a)}};
}

/// Binh and Korn, 1997: two objectives and two constraints.
Score bnh(const Point& point) {
  const double x = 5 * share_of(point, 0, values), y = 3 * share_of(point, 1, values);
  const double first = (x - 5) * (x - 5) + y * y, second = (x - 8) * (x - 8) + (y + 3) * (y + 3);
  const double violation = std::max(0.0, (first - 25) / 25) + std::max(0.0, (7.7 - second) / 7.7);
  return {{4 * x * x + 4 * y * y, (x - 5) * (x - 5) + (y - 5) * (y - 5)}, violation};
}

double volume_of(const std::vector<Score>& scores, const Values& reference) {
  std::vector<Values> front;
  for (const std::size_t i : front_of(scores)) front.push_back(scores[i].objectives);
  return hypervolume(front, reference);
}

/// Returns the share of a true front's hypervolume that 40 generations of 40 reach, for the worst of three seeds.
double worst_share(const Space& space, const Function& score, double true_volume, const Values& reference) {
  double worst = 1;
  for (const std::uint64_t seed : {1, 2, 3}) {
    Evolution evolution(space, {40, 40, seed});
    const double volume = volume_of(explore_all(evolution, score).scores, reference);
    CHECK(volume <= true_volume * (1 + 1e-12));
    worst = std::min(worst, volume / true_volume);
  }
  return worst;
}

std::vector<Score> true_front(const Function& score, const Point& rest, std::size_t free) {
  std::vector<Score> scores;
  std::uint64_t count = 1;
  for (std::size_t v = 0; v < free; ++v) count *= values;
  for (std::uint64_t i = 0; i < count; ++i) {
    Point point = rest;
    point[0] = static_cast<std::uint32_t>(i % values);
    if (free > 1) point[1] = static_cast<std::uint32_t>(i / values);
    scores.push_back(score(point));
  }
  return scores;
}

}  // namespace

TEST_CASE("evolution finds the fronts of ZDT1 and ZDT2", "[pure][explore]") {
  constexpr std::size_t variables = 6;
  for (const bool convex : {true, false}) {
    const Function score = [&](const Point& point) { return zdt(point, convex); };
    const double volume = volume_of(true_front(score, Point(variables, 0), 1), {1.1, 1.1});
    const double share = worst_share(numbered_space(variables, values), score, volume, {1.1, 1.1});
    INFO(convex << ": " << share);
    CHECK(share >= 0.99);
  }
}

TEST_CASE("evolution finds the front of DTLZ2 with three objectives", "[pure][explore]") {
  Point rest(4, 31);  // 31/63 is as near to 1/2 as 32/63
  // The reference of an exploration: 1.1 x the worst of the first generation, here of all points (g = 0.5).
  const Values reference(3, 1.1 * 1.5);
  const double volume = volume_of(true_front(dtlz2, rest, 2), reference);
  const double share = worst_share(numbered_space(4, values), dtlz2, volume, reference);
  INFO(share);
  CHECK(share >= 0.99);
}

TEST_CASE("evolution finds the front of BNH within its constraints", "[pure][explore]") {
  const double volume = volume_of(true_front(bnh, Point(2, 0), 2), {140, 50});
  CHECK(worst_share(numbered_space(2, values), bnh, volume, {140, 50}) >= 0.99);
}

TEST_CASE("evolution follows the violation into a feasible corner", "[pure][explore]") {
  // One point in 1000 is feasible: all six variables in their upper third.
  const Function score = [](const Point& point) {
    Score s{{0, 0}};
    for (std::size_t v = 0; v < point.size(); ++v) {
      const double x = share_of(point, v, values);
      s.objectives[v % 2] += x;
      s.violation += std::max(0.0, 0.68 - x);
    }
    return s;
  };
  Evolution evolution(numbered_space(6, values), {40, 40, 1});
  const Explored found = explore_all(evolution, score);
  CHECK_FALSE(front_of(found.scores).empty());
}

TEST_CASE("evolution is a function of its seed", "[pure][explore]") {
  const auto points = [](std::uint64_t seed, std::size_t generations) {
    Evolution evolution(numbered_space(6, values), {20, generations, seed});
    return explore_all(evolution, [](const Point& point) { return zdt(point, true); }).points;
  };
  CHECK(points(4, 8) == points(4, 8));
  CHECK(points(4, 8) != points(5, 8));
  std::vector<Point> longer = points(4, 9);
  const std::vector<Point> shorter = points(4, 8);
  longer.resize(shorter.size());
  CHECK(longer == shorter);  // more generations repeat all points of fewer
}

TEST_CASE("a generation holds no point twice and no parent of any generation", "[pure][explore]") {
  Evolution evolution(numbered_space(2, 32), {20, 12, 3}, Point{7, 7});
  std::size_t generations = 0, returned = 0;
  std::set<Point> asked_before;
  std::vector<Point> parents, selected;
  std::map<Point, Score> known;
  for (auto asked = evolution.ask(); !asked.empty(); asked = evolution.ask(), ++generations) {
    std::set<Point> seen;
    std::vector<Score> scores;
    for (const Candidate& candidate : asked) {
      CHECK(candidate.rung == 0);
      CHECK(seen.insert(candidate.point).second);
      CHECK(std::find(selected.begin(), selected.end(), candidate.point) == selected.end());
      returned += asked_before.insert(candidate.point).second ? 0 : 1;
      scores.push_back({{static_cast<double>(candidate.point[0]), 31.0 - candidate.point[0] + candidate.point[1]}});
      known[candidate.point] = scores.back();
    }
    // The parents of the next generation, by the definition of NSGA-II.
    std::vector<Point> all = parents;
    for (const Candidate& candidate : asked) all.push_back(candidate.point);
    std::vector<Score> of_all;
    for (const Point& point : all) of_all.push_back(known[point]);
    parents.clear();
    for (const std::size_t i : ranking(of_all))
      if (parents.size() < 20) parents.push_back(all[i]);
    selected.insert(selected.end(), parents.begin(), parents.end());
    if (generations == 0) {
      CHECK(asked.size() == 21);
      CHECK(asked.front().point == Point{7, 7});
    } else {
      CHECK(asked.size() == 20);
    }
    evolution.tell(scores);
  }
  CHECK(generations == 12);
  CHECK(returned > 0);  // a point that never survived may be asked for again
}

TEST_CASE("a generation is smaller where the space has no more points", "[pure][explore]") {
  Evolution evolution(numbered_space(2, 3), {20, 5, 1});
  const Explored found = explore_all(evolution, [](const Point& point) { return Score{{1.0 + point[0]}}; });
  CHECK(found.asked == 9);
}

TEST_CASE("names mutate to every other name, numbers to their neighbours", "[pure][explore]") {
  std::vector<Variable> variables{{"how", {"a", "b", "c", "d", "e", "f", "g"}, false}};
  Variable number{"n", {}, true};
  for (int i = 0; i < 600; ++i) number.values.push_back(std::to_string(i));
  variables.push_back(number);
  Evolution evolution(Space(variables), {30, 30, 2});
  const Explored found = explore_all(evolution, [](const Point& point) {
    return Score{{std::fabs(static_cast<double>(point[1]) - 417) + (point[0] == 3 ? 0.0 : 50.0)}};
  });
  const auto best = std::min_element(found.scores.begin(), found.scores.end(),
                                     [](const Score& a, const Score& b) { return a.objectives < b.objectives; });
  CHECK(best->objectives[0] <= 3);
}

TEST_CASE("evolution ends when the hypervolume no longer grows", "[pure][explore]") {
  EvolutionPlan plan{20, 100, 1};
  plan.least_growth = 0.001, plan.over = 3;
  Evolution evolution(numbered_space(2, values), plan);
  const Explored found = explore_all(evolution, bnh);
  const HypervolumeHistory& history = evolution.history();
  const std::size_t last = history.generations() - 1;
  CHECK(last < 60);
  CHECK(history.at(last) - history.at(last - 3) < 0.001 * history.at(last));
  CHECK(history.at(last - 1) - history.at(last - 4) >= 0.001 * history.at(last - 1));
}

TEST_CASE("infeasible points without objectives do not disturb a search", "[pure][explore]") {
  Evolution evolution(numbered_space(3, 16), {16, 10, 1});
  const Explored found = explore_all(evolution, [](const Point& point) {
    if (point[2] % 2 == 1) return Score{{}, std::numeric_limits<double>::infinity(), {}, "refused"};
    return Score{{1.0 + point[0] + point[2], 1.0 + point[1] + point[2]}};
  });
  bool has_best = false;
  for (const std::size_t i : front_of(found.scores)) has_best = has_best || found.points[i] == Point{0, 0, 0};
  CHECK(has_best);
}

TEST_CASE("wrong plans of an evolution are refused", "[pure][explore]") {
  CHECK_THROWS_AS(Evolution(numbered_space(2, 4), {1, 10, 1}), PlanError);
  CHECK_THROWS_AS(Evolution(numbered_space(2, 4), {10, 0, 1}), PlanError);
}

}  // namespace tributary::test_evolution
