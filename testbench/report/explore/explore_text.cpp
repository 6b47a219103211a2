// The screen of an exploration.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "modules/base/text_format.h"
#include "testbench/report/explore/explore_report.h"

namespace tributary {
namespace {

constexpr std::size_t most_rows = 20;
using Rows = std::vector<std::vector<std::string>>;

std::string significant(double x) {
  char text[32];
  std::snprintf(text, sizeof text, std::fabs(x) >= 1e4 && std::fabs(x) < 1e15 ? "%.0f" : "%.4g", x);
  return text;
}

std::string text_of(const Rows& rows) {
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

std::string percent(double share) { return fixed(100 * share, 1) + "%"; }
/// A gain with its sign: `+12.0%`, `-3.0%`.
std::string signed_percent(double gain) { return (gain < 0 ? "" : "+") + percent(gain); }

/// Returns the members of the front, the best first: by the first objective, then by the others.
std::vector<std::size_t> ordered_front(const ExploreReport& report) {
  std::vector<std::size_t> order = report.front;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto &x = report.points[a].objectives, &y = report.points[b].objectives;
    for (std::size_t m = 0; m < x.size(); ++m)
      if (x[m] != y[m]) return report.objectives[m].maximised ? x[m] > y[m] : x[m] < y[m];
    return false;
  });
  return order;
}

std::vector<std::string> heads(const ExploreReport& report) {
  std::vector<std::string> row;
  for (const auto& objective : report.objectives) {
    row.push_back(objective.name + (objective.unit.empty() ? "" : " (" + objective.unit + ")"));
    if (report.baseline) row.emplace_back("ratio");
  }
  for (const auto& variable : report.variables) row.push_back(variable.name);
  return row;
}

std::vector<std::string> row_of(const ExploreReport& report, std::size_t index, const std::string& mark) {
  const ExploreReport::Point& point = report.points[index];
  std::vector<std::string> row;
  for (std::size_t m = 0; m < point.objectives.size(); ++m) {
    row.push_back(significant(point.objectives[m]));
    if (!report.baseline) continue;
    const auto& base = report.points[*report.baseline].objectives;
    row.push_back(m < base.size() && base[m] != 0 ? fixed(point.objectives[m] / base[m], 3) : "");
  }
  row.insert(row.end(), point.values.begin(), point.values.end());
  row.push_back(mark);
  return row;
}

std::string front_text(const ExploreReport& report) {
  const std::vector<std::size_t> order = ordered_front(report);
  Rows rows{heads(report)};
  std::size_t next = 0;
  for (std::size_t shown = 0; next < order.size() && shown < most_rows; ++shown) {
    const std::size_t first = order[next++];
    std::size_t equal = 0;
    while (next < order.size() && report.points[order[next]].objectives == report.points[first].objectives) ++next, ++equal;
    std::string mark = first == report.knee ? "*" : "";
    const auto add = [&](const std::string& word) { mark += (mark.empty() ? "" : " ") + word; };
    if (equal > 0) add("+" + std::to_string(equal) + " equal");
    if (first == report.baseline) add("baseline");
    rows.push_back(row_of(report, first, mark));
  }
  const auto base = report.baseline;
  if (base && std::find(order.begin(), order.end(), *base) == order.end() && !report.points[*base].objectives.empty())
    rows.push_back(row_of(report, *base, "baseline"));
  std::string text = text_of(rows);
  if (next < order.size()) text += "# " + counted(order.size() - next, "more row") + " in front.csv\n";
  if (report.knee) text += "# *: the knee, nearest to the best of all objectives\n";
  return text;
}

std::string bisection_text(const ExploreReport::Bisection& found) {
  if (!found.answer) return "# bisection: no answer" + (found.reason.empty() ? "" : ": " + found.reason) + "\n";
  const std::string& name = found.variable;
  std::string text =
      "# bisection: " + name + "=" + *found.answer + " keeps " + percent(found.keep) + " of " + found.of + "\n";
  if (found.counter_example)
    text += "# not monotone: " + name + "=" + *found.counter_example + " contradicts a search by halves\n";
  if (found.drop)
    text += "# not monotone: " + name + "=" + found.drop->second + " is worse than " + found.drop->first + "\n";
  return text;
}

std::string rungs_text(const std::vector<explore::RungReport>& rungs) {
  std::string text;
  for (std::size_t r = 1; r < rungs.size(); ++r)
    text += "# rung " + std::to_string(r + 1) + ": " + counted(rungs[r].points, "point") +
            ", rank correlation with the rung before " +
            (rungs[r].correlation ? fixed(*rungs[r].correlation, 2) : "unknown") + ", " + std::to_string(rungs[r].missed) +
            " of " + counted(rungs[r].checked, "dropped point") + " on its front" +
            (rungs[r].misleads() ? ": proxy misleads" : "") + "\n";
  return text;
}

std::string hypervolume_text(const ExploreReport::Hypervolumes& volumes) {
  if (volumes.generations.empty()) return "";
  return "# hypervolume " + fixed(volumes.generations.front(), 4) + " in generation 0, " +
         fixed(volumes.generations.back(), 4) + " in generation " + std::to_string(volumes.generations.size() - 1) + "\n";
}

std::string indices_text(const ExploreReport& report) {
  Rows rows;
  if (!report.morris.empty()) rows.push_back({"variable", "mu*", "sigma"});
  for (std::size_t v = 0; v < report.morris.size(); ++v)
    rows.push_back({report.variables[v].name, fixed(report.morris[v].mu_star, 4), fixed(report.morris[v].sigma, 4)});
  if (!report.sobol.empty()) rows.push_back({"variable", "S1", "interval", "ST", "interval"});
  const auto interval = [](const explore::Interval& within) {
    return fixed(within.low, 3) + " to " + fixed(within.high, 3);
  };
  for (std::size_t v = 0; v < report.sobol.size(); ++v) {
    const explore::SobolIndex& index = report.sobol[v];
    rows.push_back({report.variables[v].name, fixed(index.first, 3), interval(index.first_within), fixed(index.total, 3),
                    interval(index.total_within)});
  }
  return text_of(rows);
}

std::string tornado_text(const ExploreReport& report, const ExploreReport::Tornado& tornado) {
  std::string at;
  for (std::size_t v = 0; v < tornado.at.size(); ++v) at += " " + report.variables[v].name + "=" + tornado.at[v];
  Rows rows{{"variable", "from", "to", "gain", "elasticity"}};
  for (const ExploreReport::Step& step : tornado.steps)
    rows.push_back(
        {step.variable, step.from, step.to, signed_percent(step.gain), step.elasticity ? fixed(*step.elasticity, 3) : ""});
  return "# one at a time: " + tornado.of + " at" + at + "\n" + text_of(rows);
}

std::string assumptions_text(const ExploreReport& report, const ExploreReport::Assumptions& all) {
  std::size_t changing = 0;
  std::string text;
  for (const ExploreReport::Assumption& one : all.live) {
    if (!one.changes_order) continue;
    ++changing;
    text += "# assumption: " + one.parameter + "=" + one.to + " (now " + one.from +
            ") changes the order of the knee and its neighbours:";
    for (const double ratio : one.ratios) text += std::isnan(ratio) ? std::string(" infeasible") : " x" + fixed(ratio, 3);
    text += " of " + report.objectives.front().name + "\n";
  }
  const auto size = [](const ExploreReport::Assumption& one) { return std::fabs(std::log(one.ratios.front())); };
  const auto most =
      std::max_element(all.live.begin(), all.live.end(), [&](const auto& a, const auto& b) { return size(a) < size(b); });
  if (most != all.live.end())
    text += "# largest assumption: " + most->parameter + "=" + most->to + " (now " + most->from + ") moves the knee by x" +
            fixed(most->ratios.front(), 3) + " of " + report.objectives.front().name + "\n";
  if (!all.zeros.empty()) {
    text += "# assumed to be 0, and not examined:";
    for (const std::string& name : all.zeros) text += " " + name;
    text += "\n";
  }
  return text + "# assumptions: " + std::to_string(all.live.size()) + " of " + counted(all.examined, "changed parameter") +
         " move the knee, " + std::to_string(changing) + " of them change the order of " +
         counted(all.members.size(), "member") + "\n";
}

std::string method_text(const ExploreReport& report) {
  std::string text;
  if (report.bisection) text += bisection_text(*report.bisection);
  text += rungs_text(report.rungs);
  if (report.hypervolume) text += hypervolume_text(*report.hypervolume);
  text += indices_text(report);
  if (report.tornado) text += tornado_text(report, *report.tornado);
  if (report.assumptions) text += assumptions_text(report, *report.assumptions);
  if (report.comparison)
    text += "# compared with " + report.comparison->folder + ": its front dominates " +
            percent(report.comparison->dominated) + " of this front, and this front dominates " +
            percent(report.comparison->dominates) + " of its " + counted(report.comparison->members, "member") + "\n";
  return text;
}

std::string summary(const ExploreReport& report) {
  std::size_t refused = 0, stuck = 0, violating = 0, others = 0;
  std::string names;
  for (const ExploreReport::Point& point : report.points) {
    if (point.violation == 0.0) continue;
    if (point.violation)
      ++violating;
    else if (point.reason.rfind("refused: ", 0) == 0)
      ++refused;
    else if (point.reason.find(": status ") != std::string::npos)
      ++stuck, names += "# stuck: " + point.runs + " " + point.reason + "\n";
    else
      ++others;
  }
  std::string text = "# " + counted(report.points.size(), "point");
  std::string kinds;
  const auto kind = [&](std::size_t count, const char* what) {
    if (count > 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  kind(violating, "against constraints"), kind(refused, "refused"), kind(stuck, "stuck"), kind(others, "wrong or failed");
  const std::size_t infeasible = refused + stuck + violating + others;
  if (infeasible > 0) text += ", " + std::to_string(infeasible) + " infeasible (" + kinds + ")";
  if (!report.ended.empty()) text += "; ended early: " + report.ended;
  return names + text + "\n";
}

}  // namespace

std::string explore_text(const ExploreReport& report) {
  std::string text;
  if (!report.objectives.empty()) text += report.front.empty() ? "# no feasible point\n" : front_text(report);
  return text + method_text(report) + summary(report);
}

}  // namespace tributary
