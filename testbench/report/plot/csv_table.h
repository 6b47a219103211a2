#pragma once
/// CsvTable: a table of results read from a CSV file (RFC 4180): a line of names, then rows with the same number of
/// cells.

#include <cstddef>
#include <string>
#include <vector>

namespace tributary::plot {

class CsvTable {
 public:
  /// Reads a file of at most 256 MiB and 1000 columns. Throws InputError (one line that begins with FILE or FILE:LINE).
  static CsvTable read(const std::string& file);
  /// Parses a text; `file` is its name in errors.
  static CsvTable parse(const std::string& text, const std::string& file);

  const std::string& file() const { return file_; }
  const std::vector<std::string>& columns() const { return columns_; }
  bool has(const std::string& column) const;
  /// Returns the index of a column. Throws InputError with all names if it does not exist; `option` begins the message.
  std::size_t column(const std::string& name, const std::string& option) const;

  std::size_t rows() const { return rows_.size(); }
  const std::string& cell(std::size_t row, std::size_t column) const { return rows_[row][column]; }
  /// Returns the line of the file in which the row begins, from 1.
  std::size_t line(std::size_t row) const { return lines_[row]; }

 private:
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;
};

}  // namespace tributary::plot
