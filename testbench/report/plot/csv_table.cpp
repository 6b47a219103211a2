#include "testbench/report/plot/csv_table.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "modules/base/nearest.h"
#include "testbench/report/plot/csv_cell.h"
#include "testbench/report/plot/text_file.h"
#include "testbench/workload/input_error.h"

namespace tributary::plot {
namespace {

constexpr std::uintmax_t largest_table_mib = 256;
constexpr std::size_t most_columns = 1000;

/// Reads records in sequence.
class Records {
 public:
  Records(const std::string& text, const std::string& file) : text_(text), file_(file) {
    if (text_.compare(0, 3, "\xEF\xBB\xBF") == 0) at_ = 3;
  }
  bool next(std::vector<std::string>& cells) {
    cells.clear();
    while (at_ < text_.size() && ends_line(text_[at_])) step();
    if (at_ >= text_.size()) return false;
    first_ = line_;
    do {
      cells.push_back(without_guard(cell()));
      if (cells.size() > most_columns) fail("more than " + std::to_string(most_columns) + " cells");
    } while (take(','));
    return true;
  }
  std::size_t first() const { return first_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_ + ":" + std::to_string(first_) + ": " + what);
  }

 private:
  static bool ends_line(char c) { return c == '\n' || c == '\r'; }
  void step() { line_ += text_[at_++] == '\n' ? 1 : 0; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string cell() {
    if (take('"')) return quoted();
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && !ends_line(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::string quoted() {
    std::string value;
    for (;;) {
      if (at_ >= text_.size()) fail("a quoted cell has no end; legal: \"text\", with \"\" for a quotation mark");
      if (take('"')) {
        if (!take('"')) break;
        value += '"';
        continue;
      }
      value += text_[at_];
      step();
    }
    if (at_ < text_.size() && text_[at_] != ',' && !ends_line(text_[at_]))
      fail("text after a quoted cell; legal: a comma or the end of the line");
    return value;
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1, first_ = 1;
};

}  // namespace

CsvTable CsvTable::parse(const std::string& text, const std::string& file) {
  CsvTable table;
  table.file_ = file;
  Records records(text, table.file_);
  if (!records.next(table.columns_)) throw InputError(file + ": holds no table; legal: a line of names, then rows");
  std::set<std::string> known;
  for (const std::string& name : table.columns_)
    if (!known.insert(name).second) records.fail("two columns are named '" + name + "'");
  std::vector<std::string> cells;
  while (records.next(cells)) {
    if (cells.size() != table.columns_.size())
      records.fail(std::to_string(cells.size()) + " cells; legal: " + std::to_string(table.columns_.size()) +
                   ", the number of names");
    table.rows_.push_back(cells);
    table.lines_.push_back(records.first());
  }
  return table;
}

CsvTable CsvTable::read(const std::string& file) { return parse(read_text(file, largest_table_mib), file); }

bool CsvTable::has(const std::string& column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

std::size_t CsvTable::column(const std::string& name, const std::string& option) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) throw InputError(option + ": " + file_ + ": " + unknown_name("column", name, columns_));
  return static_cast<std::size_t>(found - columns_.begin());
}

}  // namespace tributary::plot
