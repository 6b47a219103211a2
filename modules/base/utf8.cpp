#include "modules/base/utf8.h"

namespace tributary {

char32_t utf8_character(std::string_view text, std::size_t at, std::size_t size) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  if (size == 1) return byte(0);
  char32_t c = byte(0) & (0xFFU >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) c = c << 6 | (byte(k) & 0x3FU);
  return c;
}

std::size_t utf8_size(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  if (size == 0 || at + size > text.size()) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((static_cast<unsigned char>(text[at + k]) & 0xC0U) != 0x80) return 0;
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const char32_t c = utf8_character(text, at, size);
  const bool surrogate = c >= 0xD800 && c < 0xE000;
  return c < least[size] || surrogate || c > 0x10FFFF ? 0 : size;
}

}  // namespace tributary
