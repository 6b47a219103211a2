#include "testbench/report/screen_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace tributary {

std::size_t screen_width() {
  constexpr std::size_t least = 20, most = 10000;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    std::size_t width = 0;
    const char* const end = columns + std::strlen(columns);
    const auto [stop, error] = std::from_chars(columns, end, width);
    if (error == std::errc() && stop == end && width >= least && width <= most) return width;
  }
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= least) return size.ws_col;
  return 0;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t at) {
  if (width == 0) return text;
  std::istringstream words(text);
  std::string all;
  std::size_t column = at;
  bool begun = false;  // true: this line already has a word
  for (std::string word; words >> word; begun = true) {
    if (begun && column + 1 + word.size() > width) {
      all += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (begun) {
      all += " ";
      ++column;
    }
    all += word;
    column += word.size();
  }
  return all;
}

std::string wrapped_lines(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const bool broken = width > 0 && line.size() > width;
    const bool named = broken && line.size() > indent && line[indent - 1] == ' ' && line[indent] != ' ';
    const std::string name = named ? line.substr(0, indent) : "";
    all += (broken ? name + wrapped(line.substr(name.size()), width, indent, name.size()) : line) + "\n";
  }
  return all;
}

std::string wrapped_notes(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const bool note = line.rfind("# ", 0) == 0 && width > 0 && line.size() > width;
    all += (note ? wrapped(line, width, 2, 0) : line) + "\n";
  }
  return all;
}

}  // namespace tributary
