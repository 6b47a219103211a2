#pragma once
/// Svg: a drawing as text, the same bytes for the same calls. Coordinates are pixels, y downwards.

#include <string>
#include <utility>
#include <vector>

namespace tributary::plot {

enum class Anchor { start, middle, end };

/// Where a text stands: its corners.
struct TextBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string text;
};

/// Of a text whose base line is at `y`. `turned`: upwards, about the point.
TextBox text_box(double x, double y, double size, const std::string& text, Anchor anchor, bool turned);

/// Well-formed XML whatever the text: markup is escaped, control characters become blanks.
std::string xml_text(const std::string& text);
/// The same of several lines.
std::string preformatted(const std::string& text);
/// At most two decimals, without idle zeros.
std::string coordinate(double x);

class Svg {
 public:
  using Points = std::vector<std::pair<double, double>>;
  /// `attributes` go as they are into the element: ` class="axis"`.
  void rect(double x, double y, double width, double height, const std::string& attributes, const std::string& hover = "");
  void line(double x1, double y1, double x2, double y2, const std::string& attributes, const std::string& hover = "");
  void polyline(const Points& points, const std::string& attributes);
  void path(const std::string& commands, const std::string& attributes, const std::string& hover = "");
  void circle(double x, double y, double radius, const std::string& attributes, const std::string& hover = "");
  /// `y` is that of the base line. `turned`: upwards, about the point.
  void text(double x, double y, double size, const std::string& text, Anchor anchor = Anchor::start, bool turned = false,
            const std::string& attributes = "");
  void open_group(const std::string& attributes) { body_ += "<g" + attributes + ">\n"; }
  void close_group() { body_ += "</g>\n"; }

  const std::vector<TextBox>& texts() const { return texts_; }
  /// An element `svg`; `about` is its alternative for readers without pictures.
  std::string element(double width, double height, const std::string& about, const std::string& attributes = "") const;
  /// The same as a file.
  std::string document(double width, double height, const std::string& about) const;

 private:
  void add(const std::string& element, const std::string& attributes, const std::string& hover);

  std::string body_;
  std::vector<TextBox> texts_;
};

}  // namespace tributary::plot
