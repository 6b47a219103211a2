#include "testbench/report/plot/csv_cell.h"

#include <cstdlib>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

bool is_number(const std::string& text) {
  if (text.find_first_of("xXpP ") != std::string::npos) return false;  // strtod accepts blanks and hexadecimal numbers
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size();
}

/// True for a text that a spreadsheet evaluates, and for one that looks like a guarded formula.
bool needs_guard(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\'');
  if (begin == std::string::npos || std::string("=+-@").find(text[begin]) == std::string::npos) return false;
  return begin > 0 || (text != "-" && !is_number(text));
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string cell = one_line(text);
  if (needs_guard(cell)) cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string without_guard(const std::string& cell) {
  const bool guarded = cell.size() > 1 && cell[0] == '\'' && needs_guard(cell.substr(1));
  return guarded ? cell.substr(1) : cell;
}

}  // namespace tributary
