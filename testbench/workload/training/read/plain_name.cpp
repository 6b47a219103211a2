#include "testbench/workload/training/read/plain_name.h"

#include <cstdint>

#include "modules/base/text_format.h"

namespace tributary::training {
namespace {

/// Returns the number of bytes of the character at `i`: 1 to 4, or 0 if no valid character begins there.
std::size_t character(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF5 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0) return 0;
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i + k) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character =
      (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || code == 0xFEFF || (code & 0xFFFE) == 0xFFFE;
  return overlong || no_character ? 0 : length;
}

}  // namespace

std::string plain_name(const std::string& text, std::size_t longest) {
  std::string plain;
  for (std::size_t i = 0; i < text.size() && plain.size() < longest;) {
    const std::size_t length = character(text, i);
    const std::string one = length == 0 ? "?" : one_line(text.substr(i, length));
    if (plain.size() + one.size() > longest) break;
    plain += one;
    i += length == 0 ? 1 : length;
  }
  return plain;
}

}  // namespace tributary::training
