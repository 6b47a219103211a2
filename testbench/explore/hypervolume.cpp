#include "testbench/explore/hypervolume.h"

#include <algorithm>
#include <limits>

#include "testbench/explore/domination.h"

namespace tributary::explore {
namespace {

using Values = std::vector<double>;
constexpr double reference_share = 1.1;

/// Returns the area that points with two coordinates dominate.
double dominated_area(std::vector<Values>& points, const Values& reference) {
  std::sort(points.begin(), points.end());
  double sum = 0, height = reference[1];
  for (const Values& point : points) {
    if (point[1] >= height) continue;
    sum += (reference[0] - point[0]) * (height - point[1]);
    height = point[1];
  }
  return sum;
}

double volume_of_box(const Values& point, const Values& reference, std::size_t dimensions) {
  double volume = 1;
  for (std::size_t d = 0; d < dimensions; ++d) volume *= reference[d] - point[d];
  return volume;
}

/// Keeps the points that no other dominates in the first `dimensions` coordinates; of equal ones the first.
void keep_front(std::vector<Values>& points, std::size_t dimensions) {
  std::vector<Values> kept;
  const auto covers = [&](const Values& a, const Values& b) {
    for (std::size_t d = 0; d < dimensions; ++d)
      if (a[d] > b[d]) return false;
    return true;
  };
  for (Values& point : points) {
    if (std::any_of(kept.begin(), kept.end(), [&](const Values& other) { return covers(other, point); })) continue;
    kept.erase(std::remove_if(kept.begin(), kept.end(), [&](const Values& other) { return covers(point, other); }),
               kept.end());
    kept.push_back(std::move(point));
  }
  points = std::move(kept);
}

/// Returns the volume in the first `dimensions` coordinates.
double volume(std::vector<Values> points, const Values& reference, std::size_t dimensions) {
  if (points.empty()) return 0;
  if (dimensions == 1) {
    double best = reference[0];
    for (const Values& point : points) best = std::min(best, point[0]);
    return reference[0] - best;
  }
  if (dimensions == 2) return dominated_area(points, reference);
  // The worst in the last coordinate first: all later points limited by a point have its last coordinate, so the volume that
  // only this point dominates is a slice.
  const std::size_t last = dimensions - 1;
  keep_front(points, dimensions);
  std::sort(points.begin(), points.end(),
            [&](const Values& a, const Values& b) { return a[last] != b[last] ? a[last] > b[last] : a < b; });
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Values> limited;
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      Values& limit = limited.emplace_back(last);
      for (std::size_t d = 0; d < last; ++d) limit[d] = std::max(points[i][d], points[j][d]);
    }
    keep_front(limited, last);
    const double alone = volume_of_box(points[i], reference, last) - volume(std::move(limited), reference, last);
    sum += (reference[last] - points[i][last]) * alone;
  }
  return sum;
}

}  // namespace

double hypervolume(std::vector<Values> points, const Values& reference) {
  points.erase(std::remove_if(points.begin(), points.end(),
                              [&](const Values& point) {
                                for (std::size_t d = 0; d < reference.size(); ++d)
                                  if (!(point[d] < reference[d])) return true;
                                return false;
                              }),
               points.end());
  return volume(std::move(points), reference, reference.size());
}

void HypervolumeHistory::add(const std::vector<Score>& generation) {
  for (const Score& score : generation)
    if (score.is_feasible()) scores_.push_back(score);
  ends_.push_back(scores_.size());
}

std::optional<HypervolumeHistory::Box> HypervolumeHistory::box() const {
  if (scores_.empty() || scores_.front().objectives.empty()) return std::nullopt;
  const std::size_t first = *std::find_if(ends_.begin(), ends_.end(), [](std::size_t end) { return end > 0; });
  Box box{scales_of(scores_), {}, {}};
  for (std::size_t m = 0; m < box.scales.size(); ++m) {
    double best = std::numeric_limits<double>::infinity(), worst = -best;
    for (std::size_t i = 0; i < first; ++i) {
      const double x = box.scales[m](scores_[i].objectives[m]);
      best = std::min(best, x), worst = std::max(worst, x);
    }
    box.best.push_back(best);
    box.range.push_back(worst > best ? worst - best : 1);
  }
  return box;
}

double HypervolumeHistory::at(std::size_t generation) const {
  const std::optional<Box> in = box();
  if (!in) return 0;
  std::vector<Values> points;
  const std::vector<Score> so_far(scores_.begin(), scores_.begin() + static_cast<std::ptrdiff_t>(ends_.at(generation)));
  for (const std::size_t i : front_of(so_far)) {
    Values& point = points.emplace_back();
    for (std::size_t m = 0; m < in->scales.size(); ++m)
      point.push_back((in->scales[m](so_far[i].objectives[m]) - in->best[m]) / in->range[m]);
  }
  return hypervolume(std::move(points), Values(in->scales.size(), reference_share));
}

std::vector<double> HypervolumeHistory::reference() const {
  const std::optional<Box> in = box();
  Values reference;
  for (std::size_t m = 0; in && m < in->best.size(); ++m) reference.push_back(in->best[m] + reference_share * in->range[m]);
  return reference;
}

}  // namespace tributary::explore
