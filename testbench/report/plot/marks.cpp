#include "testbench/report/plot/marks.h"

#include <cmath>

namespace tributary::plot {
namespace {

std::string fill(const std::string& of_class, const std::string& colour) {
  return " class=\"" + of_class + "\" fill=\"" + colour + "\"";
}
std::string outline(const std::string& of_class, const std::string& colour, const std::string& width) {
  return " class=\"" + of_class + "\" stroke=\"" + colour + "\" stroke-width=\"" + width + "\" fill=\"none\"";
}

}  // namespace

void draw_marker(Svg& svg, double x, double y, const SeriesStyle& style, const std::string& hover, double times) {
  const std::string look = fill("marker", style.colour);
  const auto at = [&](double dx, double dy) { return coordinate(x + times * dx) + " " + coordinate(y + times * dy); };
  switch (style.marker % series_markers) {
    case 0:
      return svg.circle(x, y, 3 * times, look, hover);
    case 1:
      return svg.rect(x - 2.7 * times, y - 2.7 * times, 5.4 * times, 5.4 * times, look, hover);
    case 2:
      return svg.path("M" + at(0, -3.6) + "L" + at(3.4, 2.6) + "L" + at(-3.4, 2.6) + "Z", look, hover);
    case 3:
      return svg.path("M" + at(0, -3.8) + "L" + at(3.8, 0) + "L" + at(0, 3.8) + "L" + at(-3.8, 0) + "Z", look, hover);
    case 4:
      return svg.path("M" + at(0, 3.6) + "L" + at(3.4, -2.6) + "L" + at(-3.4, -2.6) + "Z", look, hover);
    default:
      return svg.path("M" + at(-3, -3) + "L" + at(3, 3) + "M" + at(-3, 3) + "L" + at(3, -3),
                      outline("marker", style.colour, "1.5"), hover);
  }
}

void draw_cross(Svg& svg, double x, double y, const std::string& colour, const std::string& hover) {
  const auto at = [&](double dx, double dy) { return coordinate(x + dx) + " " + coordinate(y + dy); };
  svg.path("M" + at(-4, -4) + "L" + at(4, 4) + "M" + at(-4, 4) + "L" + at(4, -4), outline("measured", colour, "1.6"), hover);
}

void draw_dot(Svg& svg, double x, double y, const std::string& colour, const std::string& hover) {
  svg.circle(x, y, 1.6, fill("dot", colour) + " fill-opacity=\"0.6\"", hover);
}

void draw_ring(Svg& svg, double x, double y, const std::string& colour, const std::string& hover) {
  svg.circle(x, y, 6.5, outline("ring", colour, "1.3"), hover);
}

void draw_star(Svg& svg, double x, double y, const std::string& hover) {
  constexpr double outer = 6.5, inner = 2.6, tenth = 0.62831853071795865;
  std::string corners;
  for (int i = 0; i < 10; ++i) {
    const double radius = i % 2 == 0 ? outer : inner, angle = i * tenth;
    corners +=
        (i == 0 ? "M" : "L") + coordinate(x + radius * std::sin(angle)) + " " + coordinate(y - radius * std::cos(angle));
  }
  svg.path(corners + "Z", fill("stated", "#222"), hover);
}

void draw_spread(Svg& svg, double x, double low, double high, const std::string& colour) {
  const std::string l = coordinate(x - 3), r = coordinate(x + 3), y0 = coordinate(low), y1 = coordinate(high);
  svg.path("M" + l + " " + y0 + "H" + r + "M" + coordinate(x) + " " + y0 + "V" + y1 + "M" + l + " " + y1 + "H" + r,
           outline("spread", colour, "1"));
}

void draw_box(Svg& svg, double x, double width, double low, double high, const Quartiles& box, const std::string& colour,
              const std::string& hover) {
  const std::string l = coordinate(x - width / 2), r = coordinate(x + width / 2), middle = coordinate(x);
  svg.path("M" + middle + " " + coordinate(low) + "V" + coordinate(box.first) + "M" + middle + " " + coordinate(box.third) +
               "V" + coordinate(high),
           outline("whiskers", "#333", "1"));
  svg.rect(x - width / 2, box.third, width, box.first - box.third, outline("box", "#333", "1"), hover);
  svg.path("M" + l + " " + coordinate(box.median) + "H" + r, outline("median", colour, "1.8"));
}

std::string stroke(const SeriesStyle& style, double width, const std::string& of_class) {
  std::string dashes;
  if (style.dash == Dash::dashed) dashes = " stroke-dasharray=\"5 3\"";
  if (style.dash == Dash::dotted) dashes = " stroke-dasharray=\"1.5 2.5\"";
  return " class=\"" + of_class + "\" stroke=\"" + style.colour + "\" fill=\"none\" stroke-width=\"" + coordinate(width) +
         "\"" + dashes;
}

}  // namespace tributary::plot
