#pragma once
/// Classes of characters in expressions, independent of the locale.

#include <algorithm>
#include <string_view>

namespace tributary::explore {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Returns true for a letter or an underscore.
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_word(char c) { return is_letter(c) || is_digit(c); }
/// Returns true for letters, digits and underscores that do not begin with a digit.
inline bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_word);
}

}  // namespace tributary::explore
