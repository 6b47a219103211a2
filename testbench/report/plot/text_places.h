#pragma once
/// TextPlacer: chooses positions of texts within a panel so that they hide neither each other nor lines.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/report/plot/panel.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

/// A position of a text, as in Svg::text().
struct TextPlace {
  double x = 0, y = 0;
  Anchor anchor = Anchor::start;
  bool turned = false;
};

class TextPlacer {
 public:
  using Point = std::pair<double, double>;

  TextPlacer(Svg& svg, const PanelArea& area) : svg_(svg), area_(area) {}

  /// Adds a straight line of a width, or a point if the ends are equal, that texts should not hide. Returns its number.
  std::size_t add_obstacle(Point from, Point to, double width);
  /// Draws a text at the first place where it hides neither another text nor an obstacle other than `own`, otherwise at the
  /// first where it hides no other text. It is not drawn if there is none.
  void place(const std::string& text, double size, const std::vector<TextPlace>& places,
             std::optional<std::size_t> own = {});

 private:
  bool is_within(const TextBox& box) const;
  bool hides_text(const TextBox& box) const;
  bool hides_obstacle(const TextBox& box, std::optional<std::size_t> own) const;

  struct Obstacle {
    Point from, to;
    double width;
  };

  Svg& svg_;
  const PanelArea area_;
  std::vector<Obstacle> obstacles_;
};

}  // namespace tributary::plot
