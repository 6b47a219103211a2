// The screen of an exploration.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "modules/base/text_format.h"
#include "testbench/cli/explore/explore_results.h"

namespace tributary {
namespace {

constexpr std::size_t most_rows = 20;

std::string significant(double x) {
  char text[32];
  std::snprintf(text, sizeof text, std::fabs(x) >= 1e4 && std::fabs(x) < 1e15 ? "%.0f" : "%.4g", x);
  return text;
}

std::string rows_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths.resize(std::max(widths.size(), c + 1), 0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += (c == 0 ? "" : "  ") + right(row[c], widths[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string ExploreResults::table() const {
  const explore::Problem& problem = model_.problem();
  std::vector<std::size_t> order = front_;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return points_[a].score.objectives < points_[b].score.objectives; });
  std::vector<std::vector<std::string>> rows{{}};
  for (std::size_t m = 0; m < problem.objectives().size(); ++m) {
    const std::string unit = shown_unit(problem.objectives()[m].dimension);
    rows[0].push_back(problem.objectives()[m].name + (unit.empty() ? "" : " (" + unit + ")"));
    if (baseline_) rows[0].emplace_back("ratio");
  }
  for (const auto& variable : problem.space().variables()) rows[0].push_back(variable.name);
  const auto add = [&](std::size_t i, const std::string& mark) {
    const ExploredPoint& point = points_[i];
    auto& row = rows.emplace_back();
    for (std::size_t m = 0; m < point.score.objectives.size(); ++m) {
      row.push_back(significant(in_shown_unit(problem.written(point.score, m), problem.objectives()[m].dimension)));
      if (!baseline_) continue;
      const auto& base = points_[*baseline_].score.objectives;
      row.push_back(m < base.size() && base[m] != 0 ? fixed(point.score.objectives[m] / base[m], 3) : "");
    }
    for (std::size_t v = 0; v < problem.space().dimensions(); ++v)
      row.push_back(problem.space().text(point.candidate.point, v));
    row.push_back(mark);
  };
  std::size_t shown = 0, next = 0;
  while (next < order.size() && shown++ < most_rows) {
    const std::size_t first = order[next++];
    std::size_t equal = 0;
    while (next < order.size() && points_[order[next]].score.objectives == points_[first].score.objectives) ++next, ++equal;
    const std::string others = equal > 0 ? "+" + std::to_string(equal) + " equal" : "";
    add(first, first != knee_ ? others : others.empty() ? "*" : "* " + others);
  }
  if (baseline_ && std::find(front_.begin(), front_.end(), *baseline_) == front_.end() &&
      !points_[*baseline_].score.objectives.empty())
    add(*baseline_, "baseline");
  std::string text = rows_of(rows);
  if (next < order.size()) text += "# " + counted(order.size() - next, "more row") + " in front.csv\n";
  if (knee_) text += "# *: the knee, nearest to the best of all objectives\n";
  return text;
}

std::string ExploreResults::method_text() const {
  const auto& variables = model_.problem().space().variables();
  std::string text;
  if (search_.bisection != nullptr) {
    const explore::BisectionResult found = search_.bisection->result();
    const explore::Variable& variable = variables[model_.problem().space().find(model_.file().method.variable)];
    const std::string share = fixed(100 * model_.file().method.keep, 1) + "% of " + model_.file().method.of->text;
    if (!found.answer) return "# bisection: no answer" + (found.reason.empty() ? "" : ": " + found.reason) + "\n";
    text += "# bisection: " + variable.name + "=" + variable.values[*found.answer] + " keeps " + share + "\n";
    if (!found.is_monotone)
      text += "# not monotone: " + variable.name + "=" + variable.values[*found.counter_example] +
              " contradicts a search by halves\n";
    if (found.drop)
      text += "# not monotone: " + variable.name + "=" + variable.values[found.drop->second] + " is worse than " +
              variable.values[found.drop->first] + "\n";
  }
  if (search_.halving != nullptr)
    for (std::size_t r = 1; r < search_.halving->reports().size(); ++r) {
      const explore::RungReport& rung = search_.halving->reports()[r];
      text += "# rung " + std::to_string(r + 1) + ": " + counted(rung.points, "point") +
              ", rank correlation with the rung before " + (rung.correlation ? fixed(*rung.correlation, 2) : "unknown") +
              ", " + std::to_string(rung.missed) + " of " + counted(rung.checked, "dropped point") + " on its front" +
              (rung.misleads() ? ": proxy misleads" : "") + "\n";
    }
  if (search_.evolution != nullptr && search_.evolution->history().generations() > 0) {
    const std::size_t last = search_.evolution->history().generations() - 1;
    text += "# hypervolume " + fixed(search_.evolution->history().at(0), 4) + " in generation 0, " +
            fixed(search_.evolution->history().at(last), 4) + " in generation " + std::to_string(last) + "\n";
  }
  std::vector<std::vector<std::string>> rows;
  if (search_.morris != nullptr) rows.push_back({"variable", "mu*", "sigma"});
  if (search_.sobol != nullptr) rows.push_back({"variable", "S1", "interval", "ST", "interval"});
  const auto interval = [](const explore::Interval& within) {
    return fixed(within.low, 3) + " to " + fixed(within.high, 3);
  };
  for (std::size_t v = 0; !rows.empty() && v < variables.size(); ++v) {
    if (search_.morris != nullptr)
      rows.push_back(
          {variables[v].name, fixed(search_.morris->effects()[v].mu_star, 4), fixed(search_.morris->effects()[v].sigma, 4)});
    if (search_.sobol == nullptr) continue;
    const explore::SobolIndex& index = search_.sobol->indices()[v];
    rows.push_back({variables[v].name, fixed(index.first, 3), interval(index.first_within), fixed(index.total, 3),
                    interval(index.total_within)});
  }
  return text + rows_of(rows);
}

std::string ExploreResults::summary() const {
  std::size_t refused = 0, stuck = 0, violating = 0, others = 0;
  std::string names;
  for (const ExploredPoint& point : points_) {
    const std::string& reason = point.score.reason;
    if (point.score.is_feasible()) continue;
    if (!std::isinf(point.score.violation))
      ++violating;
    else if (reason.rfind("refused: ", 0) == 0)
      ++refused;
    else if (reason.find(": status ") != std::string::npos)
      ++stuck, names += "# stuck: " + point.ids + " " + reason + "\n";
    else
      ++others;
  }
  std::string text = "# " + counted(points_.size(), "point");
  const std::size_t infeasible = refused + stuck + violating + others;
  if (infeasible > 0) {
    std::string kinds;
    const auto kind = [&](std::size_t count, const char* what) {
      if (count > 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    kind(violating, "against constraints"), kind(refused, "refused"), kind(stuck, "stuck"), kind(others, "wrong or failed");
    text += ", " + std::to_string(infeasible) + " infeasible (" + kinds + ")";
  }
  if (!ended_.empty()) text += "; ended early: " + ended_;
  return names + text + "\n";
}

std::string ExploreResults::text() const {
  std::string text;
  if (!model_.problem().objectives().empty()) text += front_.empty() ? "# no feasible point\n" : table();
  return text + method_text() + summary();
}

}  // namespace tributary
