#pragma once
/// Shades of a share from 0 to 1, on a scale that grows lighter (viridis), so that it reads in grey as well.

#include <string>

namespace tributary::html {

constexpr int shades = 16;

/// 0 to 15; below 0 and above 1 the nearest.
int shade_of(double share);
/// Class of what has that shade, `v0` to `v15`: strokes and fills.
std::string shade_class(double share);
/// Style rules of these classes.
std::string shade_rules();
/// A bar of all shades with what its ends mean, as SVG.
std::string shade_legend(const std::string& least, const std::string& most);

}  // namespace tributary::html
