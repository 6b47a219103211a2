#include "testbench/workload/layer_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "modules/base/input_file.h"
#include "testbench/workload/input_error.h"

namespace tributary::workload {
namespace {

using Row = std::vector<std::string>;

constexpr std::array<const char*, 8> columns{"Layer name",   "IFMAP Height", "IFMAP Width", "Filter Height",
                                             "Filter Width", "Channels",     "Num Filter",  "Strides"};
constexpr std::size_t first_factor = 3, last_factor = 6;  // columns whose product is the number of weights

std::string column_list() {
  std::string list;
  for (const char* c : columns) list += (list.empty() ? "" : ", ") + std::string(c);
  return list;
}

std::string trim(const std::string& text) {
  constexpr const char* blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns the cells without surrounding blanks and without empty cells at the end.
Row split(const std::string& line) {
  Row row;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    row.push_back(trim(line.substr(at, comma - at)));
    at = comma + 1;
  }
  while (!row.empty() && row.back().empty()) row.pop_back();
  return row;
}

bool same_word(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

class Reader {
 public:
  Reader(std::istream& file, const std::string& path) : path_(path), file_(file) {}

  std::vector<Layer> read() {
    std::vector<Layer> layers;
    bool header_seen = false;
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      if (line_ == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);  // byte-order mark
      const Row row = split(line);
      if (row.empty()) continue;
      if (!header_seen) {
        check_header(row);
        header_seen = true;
      } else if (row.size() > 1) {  // a single cell is a section title
        layers.push_back(layer(row));
      }
    }
    if (file_.bad()) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
    if (layers.empty()) throw InputError(path_ + ": no layers; a row has the columns: " + column_list());
    return layers;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  /// Checks only the columns that are used: published tables name the others freely.
  void check_header(const Row& row) const {
    for (std::size_t c = first_factor; c <= last_factor; ++c)
      if (row.size() <= c || !same_word(row[c], columns[c]))
        fail("no header with '" + std::string(columns[c]) + "' in column " + std::to_string(c + 1) +
             "; the first row must be: " + column_list());
  }

  Layer layer(const Row& row) const {
    if (row.size() != columns.size())
      fail(std::to_string(row.size()) + " cells; a layer needs " + std::to_string(columns.size()) + ": " + column_list());
    if (row[0].empty()) fail("the first cell, the layer's name, is empty");
    Layer layer{row[0], 1, {}};
    ConvolutionShape& s = layer.shape;
    const std::array<std::uint64_t*, columns.size()> fields{
        nullptr, &s.input_height, &s.input_width, &s.filter_height, &s.filter_width, &s.channels, &s.filters, &s.stride};
    for (std::size_t c = 1; c < columns.size(); ++c) {
      const std::uint64_t value = number(row[c], columns[c]);
      *fields[c] = value;
      const bool factor = c >= first_factor && c <= last_factor;
      if (factor && __builtin_mul_overflow(layer.weights, value, &layer.weights))
        fail("more than 2^64 weights in one layer");
    }
    return layer;
  }

  std::uint64_t number(const std::string& text, const char* column) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0)
      fail(std::string(column) + " is '" + text + "'; legal: a whole number from 1");
    return value;
  }

  std::string path_;
  std::istream& file_;
  std::size_t line_ = 0;
};

}  // namespace

std::vector<Layer> read_layer_table(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw InputError(path + ": is a directory; legal: a layer table (CSV)");
  std::ifstream file(path);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw InputError(path + ": " + why);
  return read_layer_table(file, path);
}

std::vector<Layer> read_layer_table(std::istream& input, const std::string& where) { return Reader(input, where).read(); }

}  // namespace tributary::workload
