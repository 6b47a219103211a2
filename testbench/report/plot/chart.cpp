#include "testbench/report/plot/chart.h"

#include <algorithm>
#include <array>

#include "testbench/report/plot/font_table.h"

namespace tributary::plot {
namespace {

constexpr double panel_width = 380, panel_height = 250;  // of the area within the axes
constexpr double left_margin = 62, right_margin = 18, top_margin = 26, bottom_margin = 52;
constexpr double letters = 11, small_letters = 10;
constexpr std::size_t panels_in_row = 3;
constexpr double largest_legend = 320;

constexpr std::array<const char*, 8> palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000", "#8C6D1F"};

const char* const ink = " fill=\"#333\"";

/// A marker of radius about 3, one of five shapes.
void mark(Svg& svg, double x, double y, std::size_t number, const std::string& hover) {
  const std::string fill = " class=\"marker\" fill=\"" + series_colour(number) + "\"";
  const auto at = [&](double dx, double dy) { return coordinate(x + dx) + " " + coordinate(y + dy); };
  switch (number % 5) {
    case 0:
      return svg.circle(x, y, 3, fill, hover);
    case 1:
      return svg.rect(x - 2.7, y - 2.7, 5.4, 5.4, fill, hover);
    case 2:
      return svg.path("M" + at(0, -3.6) + "L" + at(3.4, 2.6) + "L" + at(-3.4, 2.6) + "Z", fill, hover);
    case 3:
      return svg.path("M" + at(0, -3.8) + "L" + at(3.8, 0) + "L" + at(0, 3.8) + "L" + at(-3.8, 0) + "Z", fill, hover);
    default:
      return svg.path("M" + at(0, 3.6) + "L" + at(3.4, -2.6) + "L" + at(-3.4, -2.6) + "Z", fill, hover);
  }
}

void cross(Svg& svg, double x, double y, const std::string& colour, const std::string& hover) {
  const auto at = [&](double dx, double dy) { return coordinate(x + dx) + " " + coordinate(y + dy); };
  svg.path("M" + at(-4, -4) + "L" + at(4, 4) + "M" + at(-4, 4) + "L" + at(4, -4),
           " class=\"measured\" stroke=\"" + colour + "\" stroke-width=\"1.6\" fill=\"none\"", hover);
}

std::string stroke(const ChartSeries& series) {
  const std::string colour = " stroke=\"" + series_colour(series.colour) + "\" fill=\"none\"";
  if (series.kind == SeriesKind::bound)
    return " class=\"bound\"" + colour + " stroke-width=\"1.1\" stroke-dasharray=\"5 3\"";
  return " class=\"series\"" + colour + " stroke-width=\"1.7\"";
}

bool drawn(const ChartPoint& point, const AxisSpec& x, const AxisSpec& y) {
  return point.y && !(x.logarithmic && point.x <= 0) && !(y.logarithmic && (*point.y <= 0 || point.low <= 0));
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : chart_(chart), x_values_(values(true)), x_(chart.x, x_values_, false), y_(chart.y, values(false), true) {}

  ChartDrawing draw() {
    const std::size_t columns = std::min(panels_in_row, chart_.panels.size());
    const std::size_t rows = (chart_.panels.size() + columns - 1) / columns;
    const double wide = left_margin + panel_width + right_margin, high = top_margin + panel_height + bottom_margin;
    const auto width = static_cast<double>(columns) * wide, height = static_cast<double>(rows) * high;
    const double legend = legend_width(), whole = std::max(height, legend_height() + 2 * top_margin);
    svg_.rect(0, 0, width + legend, whole, " class=\"paper\" fill=\"#fff\"");
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
      left_ = static_cast<double>(i % columns) * wide + left_margin;
      top_ = static_cast<double>(i / columns) * high + top_margin;
      panel(chart_.panels[i]);
    }
    draw_legend(width + 6);
    return {std::move(svg_), width + legend, whole};
  }

 private:
  std::vector<double> values(bool of_x) const {
    std::vector<double> all;
    for (const ChartPanel& panel : chart_.panels)
      for (const ChartSeries& series : panel.series)
        for (const ChartPoint& p : series.points) {
          if (of_x && !(chart_.x.logarithmic && p.x <= 0)) all.push_back(p.x);
          if (!of_x && drawn(p, chart_.x, chart_.y)) all.insert(all.end(), {*p.y, p.low, p.high});
        }
    return all;
  }
  /// Each series once, panels in order.
  std::vector<const ChartSeries*> shown() const {
    std::vector<const ChartSeries*> all;
    for (const ChartPanel& panel : chart_.panels)
      for (const ChartSeries& series : panel.series)
        if (std::none_of(all.begin(), all.end(), [&](auto* s) { return s->name == series.name && s->kind == series.kind; }))
          all.push_back(&series);
    return all.size() == 1 && all.front()->name.empty() ? std::vector<const ChartSeries*>() : all;
  }
  double legend_width() const {
    double width = 0;
    for (const ChartSeries* series : shown()) width = std::max(width, 1.15 * text_width(series->name, letters) + 40);
    return std::min(width, largest_legend);
  }
  double legend_height() const { return static_cast<double>(shown().size()) * 17; }
  void draw_legend(double x) {
    double y = top_margin + 6;
    for (const ChartSeries* series : shown()) {
      if (series->kind == SeriesKind::measured)
        cross(svg_, x + 11, y, series_colour(series->colour), "");
      else
        svg_.line(x, y, x + 22, y, series->kind == SeriesKind::bound ? stroke(*series) : legend_stroke(*series));
      if (series->kind == SeriesKind::line) mark_in_legend(x + 11, y, series->colour);
      svg_.text(x + 28, y + 4, letters, fitted(series->name, letters, largest_legend - 40), Anchor::start, false, ink);
      y += 17;
    }
  }
  static std::string legend_stroke(const ChartSeries& s) {
    return " stroke=\"" + series_colour(s.colour) + "\" stroke-width=\"1.7\"";
  }
  void mark_in_legend(double x, double y, std::size_t number) {
    svg_.open_group(" class=\"legend\"");
    mark(svg_, x, y, number, "");
    svg_.close_group();
  }

  double at_x(double x) const { return left_ + x_.place(x) * panel_width; }
  double at_y(double y) const { return top_ + (1 - y_.place(y)) * panel_height; }

  void panel(const ChartPanel& panel) {
    const double bottom = top_ + panel_height;
    svg_.text(left_ + panel_width / 2, top_ - 9, letters, fitted(panel.title, letters, panel_width), Anchor::middle, false,
              std::string(ink) + " font-weight=\"bold\"");
    axes(bottom);
    for (const ChartSeries& series : panel.series) line(series);
    svg_.text(left_ + panel_width / 2, bottom + 38, letters, fitted(chart_.x.title, letters, panel_width), Anchor::middle,
              false, ink);
    svg_.text(left_ - 47, top_ + panel_height / 2, letters, fitted(chart_.y.title, letters, panel_height), Anchor::middle,
              true, ink);
  }
  void axes(double bottom) {
    for (const Tick& tick : y_.at_round_values(panel_height)) {
      const double y = at_y(tick.value);
      svg_.line(left_, y, left_ + panel_width, y, " class=\"grid\" stroke=\"#ddd\" stroke-width=\"0.8\"");
      svg_.text(left_ - 6, y + 3.5, small_letters, fitted(tick.label, small_letters, 36), Anchor::end, false, ink);
    }
    const bool curves = any_curve();
    for (const Tick& tick : curves ? x_.at_round_values(panel_width) : x_.at_values(x_values_, panel_width, small_letters)) {
      const double x = at_x(tick.value);
      svg_.line(x, bottom, x, bottom + (tick.label.empty() ? 3 : 5), " class=\"tick\" stroke=\"#333\" stroke-width=\"1\"");
      svg_.text(x, bottom + 17, small_letters, tick.label, Anchor::middle, false, ink);
    }
    svg_.path(
        "M" + coordinate(left_) + " " + coordinate(top_) + "V" + coordinate(bottom) + "H" + coordinate(left_ + panel_width),
        " class=\"axis\" stroke=\"#333\" fill=\"none\"");
  }
  bool any_curve() const {
    return std::any_of(chart_.panels.begin(), chart_.panels.end(), [](const ChartPanel& panel) {
      return std::any_of(panel.series.begin(), panel.series.end(), [](auto& s) { return s.kind == SeriesKind::curve; });
    });
  }
  void line(const ChartSeries& series) {
    if (series.kind != SeriesKind::measured) stretches(series);
    for (const ChartPoint& p : series.points) {
      if (!drawn(p, chart_.x, chart_.y)) continue;
      const std::string hover = series.name + (series.name.empty() ? "" : ": ") + x_.label(p.x) + ", " + y_.label(*p.y);
      const double x = at_x(p.x), y = at_y(*p.y);
      if (p.high > p.low) bar(x, at_y(p.low), at_y(p.high), series_colour(series.colour));
      if (series.kind == SeriesKind::line) mark(svg_, x, y, series.colour, hover);
      if (series.kind == SeriesKind::measured) cross(svg_, x, y, series_colour(series.colour), hover);
    }
  }
  /// A polyline for each run of points without a gap.
  void stretches(const ChartSeries& series) {
    Svg::Points run;
    const auto end = [&] {
      if (run.size() > 1) svg_.polyline(run, stroke(series));
      run.clear();
    };
    for (const ChartPoint& p : series.points) {
      if (drawn(p, chart_.x, chart_.y))
        run.emplace_back(at_x(p.x), at_y(*p.y));
      else
        end();
    }
    end();
  }
  void bar(double x, double low, double high, const std::string& colour) {
    const std::string l = coordinate(x - 3), r = coordinate(x + 3), y0 = coordinate(low), y1 = coordinate(high);
    svg_.path("M" + l + " " + y0 + "H" + r + "M" + coordinate(x) + " " + y0 + "V" + y1 + "M" + l + " " + y1 + "H" + r,
              " class=\"spread\" stroke=\"" + colour + "\" stroke-width=\"1\" fill=\"none\"");
  }

  const Chart& chart_;
  std::vector<double> x_values_;
  Axis x_, y_;
  Svg svg_;
  double left_ = 0, top_ = 0;  ///< of the panel being drawn
};

}  // namespace

std::string series_colour(std::size_t number) { return palette[number % palette.size()]; }

ChartDrawing draw(const Chart& chart) { return Drawing(chart).draw(); }

}  // namespace tributary::plot
