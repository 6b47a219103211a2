#include "testbench/explore/halving.h"

#include <algorithm>
#include <cmath>

#include "testbench/explore/domination.h"
#include "testbench/explore/random_source.h"
#include "testbench/explore/sampling.h"
#include "testbench/explore/statistics.h"

namespace tributary::explore {
namespace {

constexpr std::size_t least_checked = 4, checked_part = 10;

}  // namespace

Halving::Halving(std::vector<Point> start, const HalvingPlan& plan)
    : plan_(plan), points_(distinct(start)), kept_(points_.size()) {
  if (plan.rungs < 2) throw PlanError("rungs: " + std::to_string(plan.rungs) + " (legal: at least 2)");
  if (!(plan.keep > 0 && plan.keep < 1)) throw PlanError("keep: a share is expected (legal: above 0 and below 1)");
  if (points_.size() < 2) throw PlanError("start: " + std::to_string(points_.size()) + " points (legal: at least 2)");
}

std::vector<Candidate> Halving::ask() {
  std::vector<Candidate> all;
  if (rung() == plan_.rungs) return all;
  for (const Point& point : points_) all.push_back({point, rung() + 1 == plan_.rungs ? 0 : rung() + 1});
  return all;
}

void Halving::tell(const std::vector<Score>& scores) {
  compare(scores);
  if (rung() < plan_.rungs) choose(scores);
}

/// Adds the report of the present rung.
void Halving::compare(const std::vector<Score>& scores) {
  RungReport report{points_.size(), points_.size() - kept_, 0, std::nullopt};
  for (const std::size_t i : front_of(scores))
    if (i >= kept_) ++report.missed;
  std::vector<std::vector<double>> now, then;  // by objective
  for (std::size_t i = 0; i < kept_ && i < before_.size(); ++i) {
    if (!scores.at(i).is_feasible() || !before_[i].is_feasible()) continue;
    now.resize(scores[i].objectives.size()), then.resize(now.size());
    for (std::size_t m = 0; m < now.size(); ++m)
      now[m].push_back(scores[i].objectives[m]), then[m].push_back(before_[i].objectives[m]);
  }
  for (std::size_t m = 0; m < now.size(); ++m) {
    const auto correlation = rank_correlation(now[m], then[m]);
    if (correlation) report.correlation = std::min(report.correlation.value_or(1), *correlation);
  }
  reports_.push_back(report);
}

/// Selects the points of the next rung: the better part, and a sample of the others.
void Halving::choose(const std::vector<Score>& scores) {
  const std::vector<std::size_t> order = ranking(scores);
  const auto count = static_cast<std::size_t>(std::ceil(plan_.keep * static_cast<double>(order.size())));
  kept_ = std::clamp<std::size_t>(count, 1, order.size());
  std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept_));
  std::vector<std::size_t> dropped(order.begin() + static_cast<std::ptrdiff_t>(kept_), order.end());
  RandomSource random(plan_.seed, rung());
  for (std::size_t i = dropped.size(); i > 1; --i) std::swap(dropped[i - 1], dropped[random.less_than(i)]);
  const std::size_t checked = std::max(least_checked, (dropped.size() + checked_part - 1) / checked_part);
  dropped.resize(std::min(dropped.size(), checked));
  std::sort(dropped.begin(), dropped.end());
  chosen.insert(chosen.end(), dropped.begin(), dropped.end());
  std::vector<Point> points;
  before_.clear();
  for (const std::size_t i : chosen) points.push_back(points_[i]), before_.push_back(scores[i]);
  points_ = std::move(points);
}

}  // namespace tributary::explore
