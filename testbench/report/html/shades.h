#pragma once
/// Shades for values from 0 to 1 on a scale of increasing lightness (viridis), which is also readable in greyscale.

#include <string>

#include "testbench/report/plot/colour_scale.h"

namespace tributary::html {

constexpr int shades = plot::scale_colours;

/// Returns a shade 0 to 15; values below 0 and above 1 are clamped.
int shade_of(double share);
/// Returns the CSS class of the shade, `v0` to `v15`, for strokes and fills.
std::string shade_class(double share);
/// Returns the style rules of these classes.
std::string shade_rules();
/// Returns a bar of all shades with labels at its ends, as SVG.
std::string shade_legend(const std::string& least, const std::string& most);

}  // namespace tributary::html
