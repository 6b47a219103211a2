#include "testbench/explore/choices.h"

#include <algorithm>

#include "testbench/explore/domination.h"
#include "testbench/explore/scale.h"

namespace tributary::explore {

std::optional<std::size_t> knee_of(const std::vector<Score>& front) {
  if (front.empty()) return std::nullopt;
  std::vector<double> distances(front.size(), 0);
  const std::vector<Scale> scales = scales_of(front);
  for (std::size_t m = 0; m < scales.size(); ++m) {
    std::vector<double> values;
    for (const Score& score : front) values.push_back(scales[m](score.objectives[m]));
    const auto [best, worst] = std::minmax_element(values.begin(), values.end());
    for (std::size_t i = 0; *worst > *best && i < values.size(); ++i) {
      const double share = (values[i] - *best) / (*worst - *best);
      distances[i] += share * share;
    }
  }
  return static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

std::optional<std::size_t> best_within(const std::vector<Score>& front, const Score& baseline) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const std::vector<double>& objectives = front[i].objectives;
    bool within = true;
    for (std::size_t m = 1; m < objectives.size(); ++m) within = within && objectives[m] <= baseline.objectives.at(m);
    if (within && (!best || objectives[0] < front[*best].objectives[0])) best = i;
  }
  return best;
}

double coverage(const std::vector<Score>& other, const std::vector<Score>& front) {
  const auto covered = std::count_if(front.begin(), front.end(), [&](const Score& score) {
    return std::any_of(other.begin(), other.end(), [&](const Score& better) { return dominates(better, score); });
  });
  return front.empty() ? 0 : static_cast<double>(covered) / static_cast<double>(front.size());
}

}  // namespace tributary::explore
