// The tables of an exploration.
#include "modules/base/field_type.h"
#include "testbench/report/explore/explore_report.h"
#include "testbench/report/plot/csv_cell.h"

namespace tributary {
namespace {

std::vector<std::string> header(const ExploreReport& report) {
  std::vector<std::string> names;
  for (const auto& variable : report.variables) names.push_back(variable.name);
  for (const auto& objective : report.objectives) names.push_back(objective.column);
  if (!report.of.empty()) names.emplace_back("of");
  for (const char* name : {"violation", "front", "generation"}) names.emplace_back(name);
  if (report.has_rungs) names.emplace_back("rung");
  if (report.seeds > 1) names.emplace_back("spread");
  for (const char* name : {"runs", "reason"}) names.emplace_back(name);
  return names;
}

std::vector<std::string> cells(const ExploreReport& report, const ExploreReport::Point& point) {
  std::vector<std::string> cells = point.values;
  for (std::size_t m = 0; m < report.objectives.size(); ++m)
    cells.push_back(point.objectives.empty() ? "" : print_real(point.objectives[m]));
  if (!report.of.empty()) cells.push_back(point.of ? print_real(*point.of) : "");
  cells.push_back(point.violation ? print_real(*point.violation) : "");
  cells.push_back(point.front ? std::to_string(*point.front) : "");
  cells.push_back(std::to_string(point.generation));
  if (report.has_rungs) cells.push_back(std::to_string(point.rung));
  if (report.seeds > 1) cells.push_back(print_real(point.spread));
  cells.push_back(point.runs);
  cells.push_back(point.reason);
  return cells;
}

void add_row(std::string& text, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) text += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  text += "\n";
}

}  // namespace

std::string explore_points_csv(const ExploreReport& report) {
  std::string text;
  add_row(text, header(report));
  for (const auto& point : report.points) add_row(text, cells(report, point));
  return text;
}

std::string explore_front_csv(const ExploreReport& report) {
  std::string text;
  add_row(text, header(report));
  for (const std::size_t i : report.front) add_row(text, cells(report, report.points[i]));
  return text;
}

}  // namespace tributary
