#pragma once
/// Texts of numbers for tables.

#include <string>

namespace tributary {

/// With so many decimals.
std::string fixed(double x, int decimals);
/// Padded with blanks; a longer text stays whole.
std::string right(const std::string& text, std::size_t width);
std::string left(const std::string& text, std::size_t width);
/// An exact number of picoseconds in nanoseconds.
std::string nanoseconds(unsigned long long picoseconds);

}  // namespace tributary
