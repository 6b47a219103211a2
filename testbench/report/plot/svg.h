#pragma once
/// Svg: a drawing as text; equal calls give equal bytes. Coordinates are pixels, y downwards.

#include <string>
#include <utility>
#include <vector>

namespace tributary::plot {

enum class Anchor { start, middle, end };

/// Bounding box of a text.
struct TextBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string text;
};

/// Returns the bounding box of a text whose base line is at `y`. `turned`: rotated upwards around the point.
TextBox text_box(double x, double y, double size, const std::string& text, Anchor anchor, bool turned);

/// Returns text that is safe in XML: markup is escaped, control characters become blanks.
std::string xml_text(const std::string& text);
/// Returns several lines of such text.
std::string preformatted(const std::string& text);
/// Formats a number with at most two decimals and without trailing zeros.
std::string coordinate(double x);

class Svg {
 public:
  using Points = std::vector<std::pair<double, double>>;
  /// `attributes` are copied into the element: ` class="axis"`.
  void rect(double x, double y, double width, double height, const std::string& attributes, const std::string& hover = "");
  void line(double x1, double y1, double x2, double y2, const std::string& attributes, const std::string& hover = "");
  void polyline(const Points& points, const std::string& attributes);
  void path(const std::string& commands, const std::string& attributes, const std::string& hover = "");
  void circle(double x, double y, double radius, const std::string& attributes, const std::string& hover = "");
  /// `y` is the base line. `turned`: rotated upwards around the point.
  void text(double x, double y, double size, const std::string& text, Anchor anchor = Anchor::start, bool turned = false,
            const std::string& attributes = "");
  void open_group(const std::string& attributes) { body_ += "<g" + attributes + ">\n"; }
  void close_group() { body_ += "</g>\n"; }

  const std::vector<TextBox>& texts() const { return texts_; }
  /// Returns an element `svg`; `about` is its text alternative.
  std::string element(double width, double height, const std::string& about, const std::string& attributes = "") const;
  /// Returns the drawing as a file.
  std::string document(double width, double height, const std::string& about) const;

 private:
  void add(const std::string& element, const std::string& attributes, const std::string& hover);

  std::string body_;
  std::vector<TextBox> texts_;
};

}  // namespace tributary::plot
