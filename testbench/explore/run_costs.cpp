#include "testbench/explore/run_costs.h"

#include <limits>

namespace tributary::explore {

RunCosts::RunCosts(const Space& space) {
  for (std::size_t v = 0; v < space.dimensions(); ++v) {
    const std::uint32_t gaps = space.values(v) - 1;
    steps_.push_back(space.variables()[v].ordered && gaps > 0 ? 1.0 / gaps : 0);
  }
}

void RunCosts::add(std::size_t kind, const Point& point, double seconds) {
  if (kind >= finished_.size()) finished_.resize(kind + 1);
  finished_[kind].push_back({point, seconds});
}

double RunCosts::distance(const Point& a, const Point& b) const {
  double sum = 0;
  for (std::size_t v = 0; v < steps_.size(); ++v) {
    if (a[v] == b[v]) continue;
    const double gap = steps_[v] > 0 ? steps_[v] * (a[v] > b[v] ? a[v] - b[v] : b[v] - a[v]) : 1;
    sum += gap * gap;
  }
  return sum;
}

std::optional<double> RunCosts::estimate(std::size_t kind, const Point& point) const {
  if (kind >= finished_.size()) return std::nullopt;
  std::optional<double> seconds;
  double least = std::numeric_limits<double>::infinity();
  for (const Finished& finished : finished_[kind])
    if (const double far = distance(finished.point, point); far < least) least = far, seconds = finished.seconds;
  return seconds;
}

bool starts_before(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return !a && b;
  return *a > *b;
}

}  // namespace tributary::explore
