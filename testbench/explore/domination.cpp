#include "testbench/explore/domination.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "testbench/explore/scale.h"

namespace tributary::explore {
namespace {

bool is_no_worse(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

std::vector<std::size_t> indices(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Adds the distances of one front's members in one objective.
void add_distances(const std::vector<Score>& scores, std::vector<std::size_t> members, std::size_t objective,
                   const Scale& scale, std::vector<double>& distances) {
  const auto value = [&](std::size_t i) { return scale(scores[i].objectives[objective]); };
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  const double range = value(members.back()) - value(members.front());
  distances[members.front()] = distances[members.back()] = std::numeric_limits<double>::infinity();
  if (range <= 0) return;
  for (std::size_t i = 1; i + 1 < members.size(); ++i)
    distances[members[i]] += (value(members[i + 1]) - value(members[i - 1])) / range;
}

}  // namespace

bool dominates(const Score& a, const Score& b) {
  if (!a.is_feasible() || !b.is_feasible()) return a.violation < b.violation;
  return is_no_worse(a.objectives, b.objectives) && a.objectives != b.objectives;
}

/// Efficient non-dominated sort (Zhang et al., IEEE TEC 19(2), 2015): in lexicographic order, no score dominates an earlier
/// one, so each score is compared with the fronts so far.
std::vector<std::size_t> front_numbers(const std::vector<Score>& scores) {
  std::vector<std::size_t> order = indices(scores.size());
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (scores[a].violation != scores[b].violation) return scores[a].violation < scores[b].violation;
    if (scores[a].is_feasible() && scores[a].objectives != scores[b].objectives)
      return scores[a].objectives < scores[b].objectives;
    return a < b;
  });
  std::vector<std::vector<std::size_t>> fronts;
  std::vector<std::size_t> numbers(scores.size());
  for (const std::size_t i : order) {
    const auto holds_dominating = [&](const std::vector<std::size_t>& front) {
      return std::any_of(front.rbegin(), front.rend(), [&](std::size_t j) { return dominates(scores[j], scores[i]); });
    };
    std::size_t number = 0;
    while (number < fronts.size() && holds_dominating(fronts[number])) ++number;
    if (number == fronts.size()) fronts.emplace_back();
    fronts[number].push_back(i);
    numbers[i] = number;
  }
  return numbers;
}

std::vector<double> crowding_distances(const std::vector<Score>& scores, const std::vector<std::size_t>& fronts) {
  std::vector<double> distances(scores.size(), 0);
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i].is_feasible()) members[fronts[i]].push_back(i);
  const std::vector<Scale> scales = scales_of(scores);
  for (const auto& [number, front] : members)
    for (std::size_t m = 0; m < scales.size(); ++m) add_distances(scores, front, m, scales[m], distances);
  return distances;
}

std::vector<std::size_t> ranking(const std::vector<Score>& scores) {
  const std::vector<std::size_t> fronts = front_numbers(scores);
  const std::vector<double> distances = crowding_distances(scores, fronts);
  std::vector<std::size_t> order = indices(scores.size());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return fronts[a] != fronts[b] ? fronts[a] < fronts[b] : distances[a] > distances[b];
  });
  return order;
}

std::vector<std::size_t> front_of(const std::vector<Score>& scores) {
  std::vector<std::size_t> front;
  const std::vector<std::size_t> numbers = front_numbers(scores);
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (numbers[i] == 0 && scores[i].is_feasible()) front.push_back(i);
  return front;
}

}  // namespace tributary::explore
