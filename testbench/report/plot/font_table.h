#pragma once
/// Widths of texts in a drawing, without a font at hand: those of Helvetica, which Arial and Liberation Sans share.

#include <string>

namespace tributary::plot {

/// In pixels, of UTF-8 text; what is not ASCII counts as wide as a capital.
double text_width(const std::string& text, double size);
/// The longest beginning that is no wider, with an ellipsis where it is cut; at least the ellipsis.
std::string fitted(const std::string& text, double size, double width);

}  // namespace tributary::plot
