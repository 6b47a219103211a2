#include "testbench/report/explore/explore_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/report/explore/explore_columns.h"
#include "testbench/report/explore/explore_drawings.h"
#include "testbench/report/explore/explore_page_data.h"
#include "testbench/report/html/embedded_script.h"
#include "testbench/report/html/page.h"
#include "testbench/report/html/page_script.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

using Cells = std::vector<std::string>;

/// Returns content for readers without scripts. A browser with scripts does not build it.
std::string without_script(const std::string& content) { return "<noscript>\n" + content + "</noscript>\n"; }

std::string number_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string role_of(const ExploreReport& report, std::size_t point) {
  std::string role;
  const auto add = [&](bool applies, const char* name) {
    if (applies) role += (role.empty() ? "" : ", ") + std::string(name);
  };
  add(std::find(report.front.begin(), report.front.end(), point) != report.front.end(), "front");
  add(report.knee == point, "knee");
  add(report.baseline == point, "baseline");
  add(report.points[point].violation != 0.0, "infeasible");
  add(report.points[point].rung != 0, "cheaper run");
  return role;
}

/// Returns an objective's value, with its ratio to the baseline.
std::string with_ratio(const ExploreReport& report, const PageColumn& column, std::size_t point) {
  std::string text = column.text(point);
  const auto base = report.baseline;
  if (column.goal.empty() || !base || *base == point || !column.data[point]) return text;
  const auto value = column.data[*base];
  return value && *value != 0 ? text + " (" + fixed(*column.data[point] / *value, 3) + " x)" : text;
}

/// Returns a table of the points that matter most, with ratios to the baseline.
std::string best_table(const ExploreReport& report, const PageColumns& columns) {
  Cells head{""};
  for (const PageColumn& column : columns.all) head.push_back(column.title());
  std::vector<Cells> rows;
  const auto add = [&](const char* name, std::optional<std::size_t> point) {
    if (!point) return;
    Cells row{name};
    for (const PageColumn& column : columns.all) row.push_back(with_ratio(report, column, *point));
    rows.push_back(std::move(row));
  };
  add("knee of the front", report.knee);
  add("fastest at the cost of the baseline", report.within);
  add("baseline", report.baseline);
  return rows.empty() ? "" : table(head, rows);
}

std::string counts_text(const ExploreReport& report) {
  const auto infeasible = std::count_if(report.points.begin(), report.points.end(),
                                        [](const ExploreReport::Point& point) { return point.violation != 0.0; });
  std::string text = number_of(report.points.size(), "point") + ", " + std::to_string(infeasible) + " infeasible";
  if (!report.objectives.empty()) text += "; " + number_of(report.front.size(), "point") + " on the front";
  text += ". Method " + report.method + ", seed " + std::to_string(report.seed);
  if (report.seeds > 1) text += ", " + number_of(report.seeds, "run") + " of each point";
  return text + ". tributary " + report.version;
}

std::string summary_section(const ExploreReport& report, const PageColumns& columns) {
  std::string text = paragraph(counts_text(report));
  if (!report.ended.empty()) text += paragraph("The search ended early: " + report.ended, "bad");
  text += best_table(report, columns);
  return text + folded("All results as text", "<pre>" + plot::preformatted(explore_text(report)) + "</pre>\n");
}

std::string menu(const char* id, const char* label) {
  return std::string("<label>") + label + " <select id=\"" + id + "\"></select></label> ";
}
std::string tick_box(const char* id, const char* label) {
  return std::string("<label><input type=\"checkbox\" id=\"") + id + "\"/> " + label + "</label> ";
}
std::string choice_of(const std::string& content) { return "<span class=\"choice\">" + content + "</span>"; }

std::string scatter_section(const ExploreReport& report, const PageColumns& columns) {
  return "<style>" + std::string(uplot_style) + explore_style + "</style>\n<p class=\"choices\">" +
         choice_of(menu("x", "x") + tick_box("logx", "logarithmic")) +
         choice_of(menu("y", "y") + tick_box("logy", "logarithmic")) + choice_of(menu("colour", "colour")) +
         choice_of(tick_box("infeasible", "infeasible points")) +
         "</p>\n<div class=\"pair\"><div class=\"left\"><div id=\"scatter\" role=\"img\" aria-label=\"scatter of all "
         "points\"></div>"
         "<p id=\"legend\"></p>" +
         paragraph(std::string(report.objectives.empty()
                                   ? ""
                                   : "Ringed: the front of all objectives. Line: the front of the two axes. ") +
                       "Drag or click to select points, with Shift to add; double-click or Esc to clear.",
                   "soft choices") +
         "</div><div id=\"chosen\"></div></div>\n" + without_script(draw_scatter(report, columns));
}

std::string parallel_section(const ExploreReport& report, const PageColumns& columns) {
  return paragraph("Drag along an axis to select the points in a range; a click removes the range.", "soft choices") +
         "<div id=\"lines\"></div>\n" + without_script(draw_parallel(report, columns));
}

/// Returns a table that needs no script: the front, the baseline, and as many points as permitted.
std::string static_table(const ExploreReport& report, const PageColumns& columns) {
  Cells head{"point", "role"};
  for (const PageColumn& column : columns.all) head.push_back(column.title());
  head.emplace_back("reason");
  const auto row_of_point = [&](std::size_t i) {
    Cells row{std::to_string(i + 1), role_of(report, i)};
    for (const PageColumn& column : columns.all) row.push_back(column.text(i));
    row.push_back(report.points[i].reason);
    return row;
  };
  std::vector<Cells> front, all;
  for (const std::size_t i : best_first(report, report.front)) front.push_back(row_of_point(i));
  if (report.baseline && role_of(report, *report.baseline).rfind("front", 0) != 0)
    front.push_back(row_of_point(*report.baseline));
  for (std::size_t i = 0; i < std::min(report.points.size(), most_static_rows); ++i) all.push_back(row_of_point(i));
  std::string text = front.empty() ? "" : table(head, front);
  const std::string shown = all.size() < report.points.size() ? "The first " + std::to_string(all.size()) : "All";
  return text + folded(shown + " of " + number_of(report.points.size(), "point") + "; points.csv has all", table(head, all));
}

std::string table_section(const ExploreReport& report, const PageColumns& columns) {
  std::string views;
  for (const char* view : {"front", "selected", "all"})
    views += std::string("<button type=\"button\" data-view=\"") + view + "\"></button> ";
  return "<p id=\"views\">" + views + "</p>\n<div id=\"rows\"></div>\n" + without_script(static_table(report, columns));
}

std::string growth_section(const ExploreReport& report) {
  return "<div id=\"volume\"></div>\n" + without_script(draw_growth(report)) +
         paragraph(
             "Volume that the front dominates, in ln of the objectives scaled to the first generation; 1.1 is the "
             "reference in each.",
             "soft");
}

/// Returns a table of the assumed parameters that move the knee, with the first objective of each member.
std::string assumptions_section(const ExploreReport& report, const ExploreReport::Assumptions& all) {
  const std::string name = report.objectives.empty() ? "value" : report.objectives.front().name;
  std::string text = paragraph(number_of(all.examined, "change") + " of assumed parameters ran at the knee; " +
                               std::to_string(all.live.size()) + " of them move its " + name +
                               ". Ratios are to the run without the change.");
  std::string zeros;
  for (const std::string& parameter : all.zeros) zeros += (zeros.empty() ? "" : ", ") + parameter;
  if (!zeros.empty()) text += paragraph("Assumed to be 0, and not examined: " + zeros);
  if (all.live.empty()) return text;
  Cells head{"parameter", "now", "changed to", "order of the points"};
  for (const std::size_t i : all.members) head.push_back("point " + std::to_string(i + 1));
  std::vector<Cells> rows;
  for (const ExploreReport::Assumption& one : all.live) {
    Cells row{one.parameter, one.from, one.to, one.changes_order ? "changes" : "remains"};
    for (const double ratio : one.ratios) row.push_back(fixed(ratio, 3));
    row.resize(head.size());
    rows.push_back(std::move(row));
  }
  return text + table(head, rows);
}

}  // namespace

std::string explore_page(const ExploreReport& report) {
  const PageColumns columns = page_columns(report);
  Page page("Exploration of " + report.file);
  page.section("summary", "Summary", summary_section(report, columns));
  const bool effects_first = report.objectives.empty() && has_effects(report);
  if (effects_first) page.section("effects", "Effects of the variables", draw_effects(report));
  page.section("points", report.objectives.empty() ? "Points" : "Trade-offs", scatter_section(report, columns));
  page.section("parallel", "Variables and objectives", parallel_section(report, columns));
  page.section("table", "Table", table_section(report, columns));
  if (report.hypervolume && !report.hypervolume->generations.empty())
    page.section("hypervolume", "Growth of the front", growth_section(report));
  if (has_effects(report) && !effects_first) page.section("effects", "Effects of the variables", draw_effects(report));
  if (report.assumptions) page.section("assumptions", "Assumptions", assumptions_section(report, *report.assumptions));
  page.ending(data_script("id=\"exploration\"", explore_page_data(report, columns)) + "\n" + script(uplot_script) +
              script(explore_values_script) + script(explore_script));
  return page.text();
}

}  // namespace tributary::html
