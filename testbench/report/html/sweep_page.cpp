#include "testbench/report/html/sweep_page.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "testbench/report/html/embedded_script.h"
#include "testbench/report/html/page.h"
#include "testbench/report/html/page_script.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* one_line = "(one line)";
constexpr const char* nothing_else = "(nothing else)";

std::size_t values_of(const plot::CsvTable& table, std::size_t column) {
  std::set<std::string> values;
  for (std::size_t row = 0; row < table.rows(); ++row) values.insert(table.cell(row, column));
  return values.size();
}

/// Returns the first of the names with several values, otherwise the first that exists, otherwise the last column.
std::string first_choice(const plot::CsvTable& table, const std::vector<std::string>& names) {
  std::string there = table.columns().back();
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    if (table.has(*name)) there = *name;
  for (const std::string& name : names)
    if (table.has(name) && values_of(table, table.column(name, "")) > 1) return name;
  return there;
}

/// Returns the axes of the sweep with several values other than `x`, i.e. columns between `point` and the results.
std::vector<std::string> line_choices(const plot::CsvTable& table, const std::string& x) {
  std::vector<std::string> names;
  for (const char* name : {"algorithm", "platform", "collective", "ranks"})
    if (name != x && table.has(name) && values_of(table, table.column(name, "")) > 1) names.emplace_back(name);
  for (std::size_t c = 1; c < table.columns().size(); ++c) {
    const std::string& name = table.columns()[c];
    if (name != x && name.find('.') != name.rfind('.') && values_of(table, c) > 1) names.push_back(name);  // a parameter
  }
  return names;
}

/// Selects the columns that distinguish the lines: two, if the reader can tell as many lines apart.
void choose_lines(const plot::CsvTable& table, plot::PlotChoice& choice) {
  constexpr std::size_t most_lines = 24;
  const std::vector<std::string> names = line_choices(table, choice.x);
  if (names.empty()) return;
  choice.by = names[0];
  if (names.size() < 2) return;
  const std::size_t lines = values_of(table, table.column(names[0], "")) * values_of(table, table.column(names[1], ""));
  if (lines <= most_lines) choice.facet = names[1];
}

/// Returns a number with more than six digits and a fraction as a number of six digits, and other texts as they are.
std::string shortened_number(const std::string& cell) {
  if (cell.size() < 9 || cell.find('.') == std::string::npos) return cell;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return cell;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), std::abs(value) >= 1e5 ? "%.1f" : "%.6g", value);
  return text.data();
}

std::string choice(const std::string& id, const std::string& label) {
  return "<label>" + label + " <select id=\"" + id + "\"></select></label> ";
}
std::string tick(const std::string& id, const std::string& label) {
  return "<label><input type=\"checkbox\" id=\"" + id + "\"/> " + label + "</label> ";
}

}  // namespace

std::string sweep_page(const plot::CsvTable& results, const std::string& title) {
  plot::PlotChoice choice;
  choice.x = first_choice(results, {"size_bytes", "ranks"});
  choice.y = first_choice(results, {"algbw_GBps", "time_ns"});
  choose_lines(results, choice);
  choice.log_x = choice.x == "size_bytes";
  return sweep_page(results, title, choice);
}

std::string sweep_page(const plot::CsvTable& results, const std::string& title, const plot::PlotChoice& first) {
  Json data;
  data["columns"] = results.columns();
  data["x"] = first.x, data["y"] = first.y, data["by"] = first.by.empty() ? one_line : first.by;
  data["and"] = first.facet.empty() ? nothing_else : first.facet;
  data["logx"] = first.log_x, data["logy"] = first.log_y;
  data["rows"] = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::size_t done = 0;
  for (std::size_t row = 0; row < results.rows(); ++row) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < results.columns().size(); ++c) cells.push_back(results.cell(row, c));
    done += !results.has("status") || results.cell(row, results.column("status", "")) == "done" ? 1 : 0;
    data["rows"].push_back(cells);
    for (std::string& cell : cells) cell = shortened_number(cell);
    rows.push_back(std::move(cells));
  }
  Page page(title);
  page.section(
      "sweep", "Results",
      paragraph(std::to_string(results.rows()) + " rows, " + std::to_string(done) + " finished with correct results",
                done == results.rows() ? "good" : "bad"));
  page.section("figure", "Figure",
               "<style>" + std::string(uplot_style) +
                   ".choice{display:inline-block;margin-right:26px;white-space:nowrap}</style>\n<p>" +
                   "<span class=\"choice\">" + choice("x", "x") + tick("logx", "logarithmic") +
                   "</span><span class=\"choice\">" + choice("y", "y") + tick("logy", "logarithmic") +
                   "</span><span class=\"choice\">" + choice("by", "one line per") + choice("and", "and") +
                   "</span></p>\n<div id=\"chart\"></div>\n<p id=\"mixed\" class=\"bad\"></p>\n" +
                   paragraph("Drag to zoom; double-click to reset the zoom. Unfinished rows are gaps.", "soft") +
                   data_script("id=\"rows\"", data) + "\n" + script(uplot_script) + script(sweep_script));
  page.section("table", "Table", table(results.columns(), rows));
  return page.text();
}

}  // namespace tributary::html
