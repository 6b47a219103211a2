#include "testbench/report/sweep_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "testbench/report/plot/csv_cell.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::pair<std::string, std::string>>;

std::string cell_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_plain(Row& row, const Json& object) {
  for (const auto& [name, value] : object.items())
    if (value.is_primitive() && name != "report") row.emplace_back(name, cell_of(value));
}

/// Returns the texts of an array, joined by `+`.
std::string joined(const Json& array) {
  std::string text;
  for (const Json& item : array)
    if (item.is_string()) text += (text.empty() ? "" : "+") + item.get<std::string>();
  return text;
}

/// Adds the cells of one entry of `results`. The values of a row's own job take precedence over those of the file.
void add_result(Row& row, const Json& result) {
  add_plain(row, result);
  const Json peak = result.value("peak_link", Json());
  if (peak.is_object()) {
    row.emplace_back("peak_link", peak.value("name", ""));
    row.emplace_back("peak_link_utilisation", cell_of(peak.value("utilisation", Json())));
  }
  const Json bottleneck = result.value("bottleneck", Json());
  if (bottleneck.is_object()) {
    const std::string claim = bottleneck.value("claim", "");
    row.emplace_back("bottleneck", claim == "unnamed" ? claim : bottleneck.value("cause", ""));
    for (const char* part : {"module", "share", "claim"})
      row.emplace_back(std::string("bottleneck_") + part, cell_of(bottleneck.value(part, Json())));
    row.emplace_back("bottleneck_parameters", joined(bottleneck.value("parameters", Json::array())));
  }
  if (result.contains("tuned"))
    for (const auto& [name, value] : result["tuned"].items()) row.emplace_back("tuned." + name, cell_of(value));
  if (result.contains("counters")) add_plain(row, result["counters"]);
}

/// Returns the cell of a column. An axis that is missing in the point's settings shows the value that the run used.
std::string find(const Row& row, const std::string& column) {
  for (const auto& [name, cell] : row)
    if (name == column && !cell.empty()) return cell;
  return "";
}

}  // namespace

Json result_rows(const Json& document) {
  if (document.contains("results")) return document["results"];
  Json rows = document.value("iterations", Json::array());
  if (!rows.is_array()) return Json::array();
  for (Json& row : rows)
    if (row.is_object()) row["status"] = "done";  // a document exists only if all transfers are complete
  return rows;
}

SweepTable::Row SweepTable::begin(const std::string& id, const std::vector<std::string>& values) const {
  Row row{{"point", id}};
  for (std::size_t i = 0; i < axes_.size(); ++i) row.emplace_back(axes_[i], values.at(i));
  return row;
}

void SweepTable::put(std::size_t point, const std::string& id, const std::vector<std::string>& values,
                     const Json& document) {
  auto& rows = rows_[point];
  rows.clear();
  for (const Json& result : result_rows(document)) {
    Row row = begin(id, values);
    for (const auto& [name, value] : document.items())
      if (value.is_primitive() && name != "tributary")  // the job of a row takes precedence
        row.emplace_back(name, cell_of(result.contains(name) ? result[name] : value));
    if (document.contains("fidelity") && document["fidelity"].is_object())  // fidelity of a training run
      row.emplace_back("fidelity", document["fidelity"].value("mode", ""));
    add_result(row, result);
    rows.push_back(std::move(row));
  }
}

void SweepTable::put_failure(std::size_t point, const std::string& id, const std::vector<std::string>& values,
                             const std::string& status, const std::string& error) {
  Row row = begin(id, values);
  row.emplace_back("status", status);
  row.emplace_back("error", error);
  rows_[point] = {row};
}

std::string SweepTable::text() const {
  std::vector<std::string> columns{"point"};
  columns.insert(columns.end(), axes_.begin(), axes_.end());
  for (const auto& [point, rows] : rows_)
    for (const Row& row : rows)
      for (const auto& [name, cell] : row)
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  std::string text;
  for (const std::string& column : columns) text += (&column == columns.data() ? "" : ",") + csv_cell(column);
  text += "\n";
  for (const auto& [point, rows] : rows_)
    for (const Row& row : rows) {
      for (const std::string& column : columns) text += (&column == columns.data() ? "" : ",") + csv_cell(find(row, column));
      text += "\n";
    }
  return text;
}

}  // namespace tributary
