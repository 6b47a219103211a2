#pragma once
/// Formatting of text for tables and messages.

#include <string>

namespace tributary {

/// Prints with `decimals` decimals.
std::string fixed(double x, int decimals);
/// Pad with blanks; a longer text is kept whole.
std::string right(const std::string& text, std::size_t width);
std::string left(const std::string& text, std::size_t width);
/// Returns the text as one line of UTF-8: control characters and line breaks, including those of Unicode, and bytes that are
/// no character become escapes such as \n, \x1b, \u2028 or \xff.
std::string one_line(const std::string& text);
/// Prints picoseconds in nanoseconds, without rounding.
std::string nanoseconds(unsigned long long picoseconds);

}  // namespace tributary
