#include "modules/base/text_format.h"

#include <cstdio>

#include "modules/base/utf8.h"

namespace tributary {

namespace {

std::string escaped_byte(char byte) {
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(byte));
  return escape;
}

/// Returns the character, or its escape if it controls the terminal or breaks the line.
std::string shown(const std::string& text, std::size_t at, std::size_t size) {
  const char32_t c = utf8_character(text, at, size);
  if (c == '\n' || c == '\r' || c == '\t') return c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
  if (c < 0x20 || c == 0x7f) return escaped_byte(text[at]);
  const bool control = c >= 0x80 && c < 0xa0, separator = c == 0x2028 || c == 0x2029;
  const bool direction = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);  // reorder the text around them
  if (!control && !separator && !direction) return text.substr(at, size);
  char escape[12];
  std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
  return escape;
}

}  // namespace

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
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_size(text, i);
    line += size == 0 ? escaped_byte(text[i]) : shown(text, i, size);
    i += size == 0 ? 1 : size;
  }
  return line;
}

std::string nanoseconds(unsigned long long picoseconds) {
  const std::string fraction = std::to_string(1000 + picoseconds % 1000).substr(1);
  return std::to_string(picoseconds / 1000) + "." + fraction;
}

}  // namespace tributary
