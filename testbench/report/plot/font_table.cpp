#include "testbench/report/plot/font_table.h"

#include <array>

namespace tributary::plot {
namespace {

/// Widths of the characters from blank to tilde in thousandths of the font size (Adobe, font metrics of Helvetica).
constexpr std::array<int, 95> widths{
    278, 278, 355, 556, 556, 889, 667, 191, 333,  333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667,  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
    556, 222, 222, 500, 222, 833, 556, 556, 556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

bool is_continued(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

int width_of(char c) {
  if (c >= ' ' && c <= '~') return widths[static_cast<std::size_t>(c - ' ')];
  return is_continued(c) ? 0 : 778;
}

}  // namespace

double text_width(const std::string& text, double size) {
  int sum = 0;
  for (const char c : text) sum += width_of(c);
  return sum * size / 1000;
}

std::string fitted(const std::string& text, double size, double width) {
  if (text_width(text, size) <= width) return text;
  const double room = width - text_width("...", size);
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size() && text_width(text.substr(0, i + 1), size) <= room; ++i)
    if (i + 1 == text.size() || !is_continued(text[i + 1])) end = i + 1;
  return text.substr(0, end) + "...";
}

}  // namespace tributary::plot
