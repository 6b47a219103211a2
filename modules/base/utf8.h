#pragma once
/// Reads the characters of UTF-8 texts.

#include <cstddef>
#include <string_view>

namespace tributary {

/// Returns the number of bytes of the UTF-8 character that begins at `at`, which lies within the text; 0 if the bytes there
/// are no character (RFC 3629: overlong forms, surrogates and numbers above U+10FFFF are none).
std::size_t utf8_size(std::string_view text, std::size_t at);

/// Returns the number of the character of `size` bytes at `at`.
char32_t utf8_character(std::string_view text, std::size_t at, std::size_t size);

}  // namespace tributary
