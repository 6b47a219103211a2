#include "testbench/workload/table_cells.h"

#include <algorithm>
#include <array>

namespace tributary::workload {
namespace {

/// U+00A0, U+2007, U+202F, U+200B and U+FEFF in UTF-8: blanks to the eye, which editors and spreadsheets leave.
constexpr std::array<const char*, 5> wide_blanks{"\xC2\xA0", "\xE2\x80\x87", "\xE2\x80\xAF", "\xE2\x80\x8B", "\xEF\xBB\xBF"};

std::string with_plain_blanks(std::string line) {
  for (const std::string blank : wide_blanks)
    for (std::size_t at = line.find(blank); at != std::string::npos; at = line.find(blank, at))
      line.replace(at, blank.size(), " ");
  return line;
}

std::string trim(const std::string& text) {
  constexpr const char* blanks = " \t\r\f\v";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

char separator_of(const std::string& header) {
  for (const char separator : {',', '\t'})
    if (header.find(separator) != std::string::npos) return separator;
  return ';';
}

std::vector<std::string> table_cells(const std::string& text, char separator) {
  const std::string line = with_plain_blanks(text);
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    cells.push_back(trim(line.substr(at, end - at)));
    at = end + 1;
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

}  // namespace tributary::workload
