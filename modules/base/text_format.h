#pragma once
/// Texts for tables and messages.

#include <string>

namespace tributary {

/// With so many decimals.
std::string fixed(double x, int decimals);
/// Padded with blanks; a longer text stays whole.
std::string right(const std::string& text, std::size_t width);
std::string left(const std::string& text, std::size_t width);
/// Fit for one line: control characters and line breaks, those of Unicode too, become escapes such as \n, \x1b or \u2028.
std::string one_line(const std::string& text);
/// An exact number of picoseconds in nanoseconds.
std::string nanoseconds(unsigned long long picoseconds);

}  // namespace tributary
