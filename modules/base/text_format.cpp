#include "modules/base/text_format.h"

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

std::string one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u; };
    char escape[8] = "";
    if (at(0) == '\n' || at(0) == '\r' || at(0) == '\t') {
      std::snprintf(escape, sizeof escape, "\\%c", at(0) == '\n' ? 'n' : at(0) == '\r' ? 'r' : 't');
    } else if (at(0) < 0x20 || at(0) == 0x7f) {
      std::snprintf(escape, sizeof escape, "\\x%02x", at(0));
    } else if (at(0) == 0xc2 && at(1) >= 0x80 && at(1) < 0xa0) {  // C1 control characters, such as next line
      std::snprintf(escape, sizeof escape, "\\u%04x", at(1));
      i += 1;
    } else if (at(0) == 0xe2 && at(1) == 0x80 && (at(2) == 0xa8 || at(2) == 0xa9)) {  // line and paragraph separators
      std::snprintf(escape, sizeof escape, "\\u%04x", 0x2000 + (at(2) & 0x3f));
      i += 2;
    } else {
      line += text[i];
    }
    line += escape;
  }
  return line;
}

std::string nanoseconds(unsigned long long picoseconds) {
  const std::string fraction = std::to_string(1000 + picoseconds % 1000).substr(1);
  return std::to_string(picoseconds / 1000) + "." + fraction;
}

}  // namespace tributary
