#include "testbench/report/plot/row_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "modules/base/nearest.h"
#include "modules/base/units.h"
#include "testbench/workload/input_error.h"

namespace tributary::plot {
namespace {

bool is_measure(const std::string& column) {
  return column.find('.') == std::string::npos && (ends_with(column, "_ns") || ends_with(column, "_GBps"));
}

/// True for columns that users set, as opposed to results. A name with one dot is a parameter before the results of a table,
/// and a counter after them: `cluster.nic_rate`, `switch.merges`.
bool is_setting(const std::vector<std::string>& columns, std::size_t number) {
  const std::string& column = columns[number];
  for (const char* end : {"_ns", "_GBps", "_bytes", "count", "wrong", "peak_link", "_utilisation"})
    if (ends_with(column, end)) return false;
  if (column.rfind("bottleneck", 0) == 0) return false;  // limit, bottleneck_share ...
  const auto end = columns.begin() + static_cast<std::ptrdiff_t>(number);
  const bool one_dot = column.find('.') != std::string::npos && column.find('.') == column.rfind('.');
  return column != "point" && !(one_dot && std::any_of(columns.begin(), end, is_measure));
}

}  // namespace

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string without_unit(const std::string& column) {
  return ends_with(column, "_bytes") && column.find('.') == std::string::npos ? column.substr(0, column.size() - 6) : column;
}
std::string value_label(const std::string& column, const std::string& value) {
  const std::optional<double> bytes = ends_with(column, "bytes") ? number(value) : std::nullopt;
  return bytes ? bytes_label(*bytes) : value;
}
std::string setting(const std::string& column, const std::string& value) {
  return without_unit(column) + " = " + value_label(column, value);
}

RowReader::RowReader(const CsvTable& table, const PlotChoice& choice, std::vector<std::string>& names)
    : table_(table), choice_(choice), names_(names) {
  x_ = table.column(choice.x, "--x"), y_ = table.column(choice.y, "--y");
  by_ = optional(choice.by, "--by"), facet_ = optional(choice.facet, "--facet");
  mean_ = optional(choice.mean_over, "--mean-over");
  if (table.has("status")) status_ = table.column("status", "");
  if (choice.bound) read_bound_columns();
  for (const std::size_t row : rows()) named_ = named_ || (!x_text(row).empty() && !x_number(row));
}

std::vector<std::size_t> RowReader::rows() const {
  std::vector<std::size_t> all(table_.rows());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

std::optional<double> RowReader::x(std::size_t row) {
  if (x_text(row).empty()) return std::nullopt;
  if (named_) return static_cast<double>(place_of(names_, x_text(row)));
  return x_number(row);
}

std::optional<double> RowReader::y(std::size_t row) const {
  if (status_ && table_.cell(row, *status_) != "done") return std::nullopt;
  const std::string& text = table_.cell(row, y_);
  const std::optional<double> value = number(text);
  if (!value && !text.empty()) fail(row, choice_.y, text, "a number, or nothing");
  return value;
}

std::optional<double> RowReader::bound(std::size_t row) const {
  if (!bound_) return std::nullopt;
  const auto bottleneck = number(table_.cell(row, *bound_)), algbw = number(table_.cell(row, algbw_)), value = y(row);
  if (!bottleneck || !algbw || !value || *algbw <= 0) return std::nullopt;
  return *bottleneck * *value / *algbw;
}

void RowReader::add(Line& line, std::size_t row) {
  const std::optional<double> at = x(row);
  if (!at) return;
  Sample& sample = line[*at];
  const std::string key = mean_ ? table_.cell(row, *mean_) : "";
  if (const auto [known, first] = sample.rows.try_emplace(key, row); !first) refuse_twin(known->second, row);
  if (const auto value = y(row)) sample.values.push_back(*value);
  if (const auto value = bound(row)) sample.bounds.push_back(*value);
}

void RowReader::read_bound_columns() {
  if (choice_.y != "algbw_GBps" && choice_.y != "busbw_GBps")
    throw InputError("--bound: " + choice_.y + " has no bound (legal: with --y algbw_GBps or busbw_GBps)");
  bound_ = table_.column("bound_GBps", "--bound"), algbw_ = table_.column("algbw_GBps", "--bound");
}

/// For a failed point, `size` from the sweep file replaces `size_bytes`.
std::string RowReader::x_text(std::size_t row) const {
  const std::string& text = table_.cell(row, x_);
  if (!text.empty() || choice_.x != "size_bytes" || !table_.has("size")) return text;
  return table_.cell(row, table_.column("size", ""));
}

std::optional<double> RowReader::x_number(std::size_t row) const {
  const std::string text = x_text(row);
  if (const auto value = number(text)) return value;
  try {
    return static_cast<double>(parse_bytes(text).value);  // text such as 8KiB
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

void RowReader::fail(std::size_t row, const std::string& column, const std::string& text, const std::string& legal) const {
  throw InputError(place(row) + ": " + column + ": '" + text + "'; legal: " + legal);
}

/// Throws an error that names the columns in which the two rows differ.
void RowReader::refuse_twin(std::size_t a, std::size_t b) const {
  std::vector<std::string> different;
  for (std::size_t c = 0; c < table_.columns().size(); ++c)
    if (c != x_ && c != y_ && is_setting(table_.columns(), c) && table_.cell(a, c) != table_.cell(b, c))
      different.push_back(table_.columns()[c]);
  if (different.size() > 8) different.resize(8);
  const std::string legal =
      different.empty()
          ? "one row for each point"
          : "--by, --facet or --mean-over with a column that distinguishes them, such as " + join_names(different);
  throw InputError(place(b) + ": a second row with the same " + choice_.x + ", as line " + std::to_string(table_.line(a)) +
                   "; legal: " + legal);
}

}  // namespace tributary::plot
