#pragma once
/// Widths of texts in a drawing without access to a font: those of Helvetica, which Arial and Liberation Sans share.

#include <string>

namespace tributary::plot {

/// Returns the width of a UTF-8 text in pixels. A non-ASCII character counts as wide as a capital letter.
double text_width(const std::string& text, double size);
/// Returns the longest prefix that fits the width, with an ellipsis if it is cut; at least the ellipsis.
std::string fitted(const std::string& text, double size, double width);

}  // namespace tributary::plot
