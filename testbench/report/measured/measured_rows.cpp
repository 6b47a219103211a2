#include <algorithm>
#include <cmath>

#include "testbench/report/measured/measured_report.h"

namespace tributary {

using namespace measure;

namespace {

constexpr double equal_gain = 0.001;

/// Shapes, faults and structures are listed last: they are not called a bottleneck.
bool listed_last(ParameterRole role) {
  return role == ParameterRole::shape || role == ParameterRole::fault || role == ParameterRole::structure ||
         role == ParameterRole::none;
}

}  // namespace

std::vector<MeasuredRow> measured_rows(const Finding& finding) {
  std::vector<MeasuredRow> rows;
  for (std::size_t i = 0; i < finding.parameters.size(); ++i) {
    const Parameter& p = finding.parameters[i];
    const Step* best = finding.best(i);
    if (best != nullptr && best->gain >= finding.eps) {
      rows.push_back({best, {}, false});
      continue;
    }
    const Step* helping = finding.step(i, p.is_better_below() ? 0.5 : 2);
    if (p.is_capacity() && helping != nullptr && helping->gain <= -finding.eps) rows.push_back({helping, {}, true});
  }
  const auto last = [&](const MeasuredRow& row) { return listed_last(finding.parameters[row.step->move.parameter].role); };
  std::stable_sort(rows.begin(), rows.end(), [&](const MeasuredRow& a, const MeasuredRow& b) {
    return last(a) != last(b) ? last(b) : a.step->gain > b.step->gain;
  });
  std::vector<MeasuredRow> merged;
  for (const MeasuredRow& row : rows) {
    const bool equal = !merged.empty() && last(merged.back()) == last(row) && !row.worse &&
                       std::abs(merged.back().step->gain - row.step->gain) < equal_gain;
    if (equal)
      merged.back().equals.push_back(row.step->move.parameter);
    else
      merged.push_back(row);
  }
  return merged;
}

plot::TornadoDrawing measured_drawing(const Finding& finding) {
  std::vector<plot::TornadoBar> bars;
  if (finding.verdict == Verdict::together) {
    std::string label = "together: " + std::to_string(finding.bottleneck.size()) + " parameters";
    bars.push_back({label, finding.gain, std::nullopt, true});
  }
  const auto gain_at = [&](std::size_t i, double factor) -> std::optional<double> {
    const Step* step = finding.step(i, factor);
    return step == nullptr ? std::nullopt : std::optional<double>(step->gain);
  };
  std::vector<std::pair<double, plot::TornadoBar>> singles;
  for (std::size_t i = 0; i < finding.parameters.size(); ++i) {
    plot::TornadoBar bar{finding.parameters[i].path, gain_at(i, 2), gain_at(i, 0.5), false};
    double longest = 0, best = 0;
    for (const auto& gain : {bar.doubled, bar.halved})
      if (gain) longest = std::max(longest, std::abs(*gain)), best = std::max(best, *gain);
    if (longest >= finding.eps) singles.emplace_back(std::min(1.0, longest), bar);
  }
  std::stable_sort(singles.begin(), singles.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [length, bar] : singles) bars.push_back(bar);
  return plot::draw_tornado(bars, finding.eps);
}

}  // namespace tributary
