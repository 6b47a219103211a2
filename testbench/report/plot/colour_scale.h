#pragma once
/// Colours for values from 0 to 1 on a scale of increasing lightness (viridis), which is also readable in greyscale.

#include <string>

namespace tributary::plot {

constexpr int scale_colours = 16;

/// Returns a number 0 to 15; values below 0 and above 1 are clamped.
int scale_number(double share);
/// Returns `#rrggbb` of a number.
const char* scale_colour(int number);
/// True if black text is readable on the colour.
bool is_light(int number);

}  // namespace tributary::plot
