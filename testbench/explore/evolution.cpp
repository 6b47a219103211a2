#include "testbench/explore/evolution.h"

#include <algorithm>
#include <cmath>

#include "testbench/explore/domination.h"
#include "testbench/explore/sampling.h"

namespace tributary::explore {
namespace {

constexpr std::size_t tries_per_member = 50;
constexpr double spread_of_values = 6;  // a move of one standard deviation crosses this part of a list

}  // namespace

Evolution::Evolution(Space space, const EvolutionPlan& plan, std::optional<Point> baseline)
    : space_(std::move(space)), plan_(plan), baseline_(std::move(baseline)) {
  if (plan.population < 2) throw PlanError("population: " + std::to_string(plan.population) + " (legal: at least 2)");
  if (plan.generations < 1) throw PlanError("generations: 0 (legal: at least 1)");
}

std::vector<Candidate> Evolution::ask() {
  if (!done_ && asked_.empty()) asked_ = generation_ == 0 ? first_generation() : children();
  if (asked_.empty()) done_ = true;
  return as_candidates(asked_);
}

template <class Draw>
void Evolution::fill(std::vector<Point>& points, std::set<Point> known, std::size_t count, Draw draw) const {
  known.insert(points.begin(), points.end());
  for (std::size_t tries = tries_per_member * plan_.population; points.size() < count && tries > 0; --tries) {
    Point point = draw();
    if (known.insert(point).second) points.push_back(std::move(point));
  }
}

/// Values of the hypercube that coincide in a small space are replaced by points drawn anew.
std::vector<Point> Evolution::first_generation() const {
  std::vector<Point> points;
  if (baseline_) points.push_back(*baseline_);
  const std::size_t count = plan_.population + points.size();
  for (const Point& point : latin_hypercube(space_, plan_.population, plan_.seed)) points.push_back(point);
  points = distinct(points);
  RandomSource random(plan_.seed, ~std::uint64_t{1});  // a stream that no later generation has
  fill(points, {}, count, [&] {
    Point point(space_.dimensions());
    for (std::size_t v = 0; v < point.size(); ++v) point[v] = static_cast<std::uint32_t>(random.less_than(space_.values(v)));
    return point;
  });
  return points;
}

std::vector<Point> Evolution::children() const {
  RandomSource random(plan_.seed, generation_);
  std::vector<Point> points;
  fill(points, selected_, plan_.population, [&] { return child(random); });
  return points;
}

Point Evolution::child(RandomSource& random) const {
  const auto winner = [&]() -> const Point& {  // the order of the parents decides a tournament
    const std::uint64_t a = random.less_than(parents_.size()), b = random.less_than(parents_.size());
    return parents_[std::min(a, b)].point;
  };
  const Point &first = winner(), &second = winner();
  Point point(space_.dimensions());
  for (std::size_t v = 0; v < point.size(); ++v) point[v] = random.less_than(2) == 0 ? first[v] : second[v];
  mutate(point, random);
  return point;
}

void Evolution::mutate(Point& point, RandomSource& random) const {
  for (std::size_t v = 0; v < point.size(); ++v) {
    if (random.less_than(point.size()) != 0) continue;
    const std::uint32_t values = space_.values(v);
    if (!space_.variables()[v].ordered) {
      point[v] = static_cast<std::uint32_t>(random.less_than(values));
      continue;
    }
    const double distance = std::max(1.0, std::floor(std::fabs(random.normal()) * values / spread_of_values + 0.5));
    const double moved = random.less_than(2) == 0 ? point[v] - distance : point[v] + distance;
    point[v] = static_cast<std::uint32_t>(std::clamp(moved, 0.0, values - 1.0));
  }
}

void Evolution::tell(const std::vector<Score>& scores) {
  std::vector<Member> members = std::move(parents_);
  for (std::size_t i = 0; i < asked_.size(); ++i) members.push_back({asked_[i], scores.at(i)});
  std::vector<Score> all;
  for (const Member& member : members) all.push_back(member.score);
  std::vector<std::size_t> order = ranking(all);
  order.resize(std::min(order.size(), plan_.population));
  parents_.clear();
  for (const std::size_t i : order) parents_.push_back(std::move(members[i]));
  for (const Member& member : parents_) selected_.insert(member.point);
  history_.add(scores);
  asked_.clear();
  done_ = ++generation_ == plan_.generations || has_converged();
}

bool Evolution::has_converged() const {
  if (plan_.over == 0 || generation_ <= plan_.over) return false;
  const double now = history_.at(generation_ - 1), before = history_.at(generation_ - 1 - plan_.over);
  return now > 0 && now - before < plan_.least_growth * now;
}

}  // namespace tributary::explore
