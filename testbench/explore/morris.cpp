#include "testbench/explore/morris.h"

#include <cmath>
#include <numeric>

#include "testbench/explore/random_source.h"

namespace tributary::explore {
namespace {

constexpr std::size_t no_variable = ~std::size_t{0};

/// Returns the index of a variable after a move by half of its range, up or down where both fit. A name becomes any other.
std::uint32_t moved(std::uint32_t from, std::uint32_t values, bool ordered, RandomSource& random) {
  if (values == 1) return from;
  if (!ordered) {
    const auto other = static_cast<std::uint32_t>(random.less_than(values - 1));
    return other < from ? other : other + 1;
  }
  const std::uint32_t jump = values / 2;
  const bool up = from + jump < values, down = from >= jump;
  const bool rises = up && (!down || random.less_than(2) == 0);
  return rises ? from + jump : from - jump;
}

MorrisEffect effect_of(const std::vector<double>& effects) {
  MorrisEffect all{0, 0, effects.size()};
  if (effects.empty()) return all;
  const auto count = static_cast<double>(effects.size());
  double sum = 0, squares = 0;
  for (const double effect : effects) sum += effect, all.mu_star += std::fabs(effect) / count;
  for (const double effect : effects) squares += (effect - sum / count) * (effect - sum / count);
  if (effects.size() > 1) all.sigma = std::sqrt(squares / (count - 1));
  return all;
}

}  // namespace

Morris::Morris(Space space, std::size_t trajectories, std::uint64_t seed)
    : space_(std::move(space)), effects_(space_.dimensions()) {
  if (trajectories < 1) throw PlanError("points: 0 trajectories (legal: at least 1)");
  for (std::size_t t = 0; t < trajectories; ++t) add_trajectory(seed, t);
}

void Morris::add_trajectory(std::uint64_t seed, std::size_t number) {
  RandomSource random(seed, number);
  Point point(space_.dimensions());
  std::vector<std::size_t> order(space_.dimensions());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.less_than(i)]);
  for (std::size_t v = 0; v < point.size(); ++v) {
    const std::uint32_t values = space_.values(v);
    do point[v] = static_cast<std::uint32_t>(random.less_than(values));
    while (space_.variables()[v].ordered && point[v] + values / 2 >= values && point[v] < values / 2);  // no move fits
  }
  points_.push_back(point), moved_.push_back(no_variable);
  for (const std::size_t v : order) {
    point[v] = moved(point[v], space_.values(v), space_.variables()[v].ordered, random);
    points_.push_back(point), moved_.push_back(v);
  }
}

std::vector<Candidate> Morris::ask() { return done_ ? std::vector<Candidate>{} : as_candidates(points_); }

void Morris::tell(const std::vector<Score>& scores) {
  std::vector<std::vector<double>> effects(space_.dimensions());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t v = moved_[i];
    if (v == no_variable || space_.values(v) == 1 || !scores.at(i).of || !scores.at(i - 1).of) continue;
    const double change = *scores[i].of - *scores[i - 1].of;
    const double jump = static_cast<double>(points_[i][v]) - static_cast<double>(points_[i - 1][v]);
    const bool ordered = space_.variables()[v].ordered;
    effects[v].push_back(ordered ? change * (space_.values(v) - 1.0) / jump : change);
  }
  for (std::size_t v = 0; v < effects.size(); ++v) effects_[v] = effect_of(effects[v]);
  done_ = true;
}

}  // namespace tributary::explore
