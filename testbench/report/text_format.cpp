#include "testbench/report/text_format.h"

#include <cstdio>

namespace tributary {

std::string fixed(double x, int decimals) {
  char text[400];  // the longest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string left(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string nanoseconds(unsigned long long picoseconds) {
  const std::string fraction = std::to_string(1000 + picoseconds % 1000).substr(1);
  return std::to_string(picoseconds / 1000) + "." + fraction;
}

}  // namespace tributary
