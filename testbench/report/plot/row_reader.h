#pragma once
/// RowReader: reads points of lines from the rows of a table of results.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/report/plot/plot_data.h"

namespace tributary::plot {

/// Returns the number of a text; empty for any other text.
std::optional<double> number(const std::string& text);
/// Returns the index of a name; new names are appended.
std::size_t place_of(std::vector<std::string>& names, const std::string& name);
bool ends_with(const std::string& text, const std::string& end);
/// Returns `size` for `size_bytes`; paths of parameters stay whole.
std::string without_unit(const std::string& column);
/// Returns `1MiB` for 1048576 in a column of bytes.
std::string value_label(const std::string& column, const std::string& value);
/// Returns `size = 1MiB`.
std::string setting(const std::string& column, const std::string& value);

/// Values of one point of a line, over the column `mean_over`.
struct Sample {
  std::vector<double> values, bounds;
  std::map<std::string, std::size_t> rows;
};
using Line = std::map<double, Sample>;

/// Reads the selected columns. Errors name the file and line.
class RowReader {
 public:
  /// `names`: values of x that are no numbers, in the order of the rows; the reader adds to them. All must outlive the
  /// reader. Throws InputError for columns that are missing.
  RowReader(const CsvTable& table, const PlotChoice& choice, std::vector<std::string>& names);

  /// True if values of x are names.
  bool named() const { return named_; }
  std::string group(std::size_t row) const { return by_ ? table_.cell(row, *by_) : ""; }
  std::string panel(std::size_t row) const { return facet_ ? table_.cell(row, *facet_) : ""; }
  std::vector<std::size_t> rows() const;
  /// None if the row has no value in x, as for a point that failed before it had one.
  std::optional<double> x(std::size_t row);
  /// None if the row is not done or has no y. Throws InputError for a text.
  std::optional<double> y(std::size_t row) const;
  /// Returns the y of the row if only the links limited it.
  std::optional<double> bound(std::size_t row) const;
  /// Adds the row to a line. Throws InputError for a second row of a point.
  void add(Line& line, std::size_t row);

 private:
  std::optional<std::size_t> optional(const std::string& name, const char* option) const {
    return name.empty() ? std::nullopt : std::make_optional(table_.column(name, option));
  }
  void read_bound_columns();
  std::string x_text(std::size_t row) const;
  std::optional<double> x_number(std::size_t row) const;
  std::string place(std::size_t row) const { return table_.file() + ":" + std::to_string(table_.line(row)); }
  [[noreturn]] void fail(std::size_t row, const std::string& column, const std::string& text,
                         const std::string& legal) const;
  [[noreturn]] void refuse_twin(std::size_t a, std::size_t b) const;

  const CsvTable& table_;
  const PlotChoice& choice_;
  std::vector<std::string>& names_;
  std::size_t x_ = 0, y_ = 0, algbw_ = 0;
  std::optional<std::size_t> by_, facet_, mean_, status_, bound_;
  bool named_ = false;
};

}  // namespace tributary::plot
