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

/// Returns true if the text contains the name as a whole word, and not as a part of a dotted name.
inline bool names_word(std::string_view text, std::string_view name) {
  const auto joins = [&](std::size_t at) { return at < text.size() && (is_word(text[at]) || text[at] == '.'); };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
    if (!(at > 0 && joins(at - 1)) && !joins(at + name.size())) return true;
  return false;
}

}  // namespace tributary::explore
