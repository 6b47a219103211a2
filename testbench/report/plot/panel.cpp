#include "testbench/report/plot/panel.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/marks.h"
#include "testbench/report/plot/text_places.h"

namespace tributary::plot {
namespace {

constexpr double stated_letters = 9, range_letters = 8.5;
constexpr double bars_share = 0.84, box_share = 0.5;  // fraction of the space of a name

class PanelDrawing {
 public:
  PanelDrawing(Svg& svg, const ChartPanel& panel, const PanelAxes& axes, const PanelArea& area)
      : svg_(svg), panel_(panel), axes_(axes), area_(area), texts_(svg, area) {
    for (const ChartSeries& series : panel.series) add_obstacles(series);
    for (const Stated& stated : panel.stated) stated_lines_.push_back(add_obstacle(stated));
  }

  void draw() {
    draw_panel_title(svg_, panel_.title, area_);
    grid_and_rows();
    columns();
    frame();
    bars_ = static_cast<std::size_t>(
        std::count_if(panel_.series.begin(), panel_.series.end(), [](auto& s) { return s.kind == SeriesKind::bars; }));
    std::size_t bar = 0;
    for (const ChartSeries& series : panel_.series) draw_series(series, series.kind == SeriesKind::bars ? bar++ : 0);
    for (std::size_t i = 0; i < panel_.stated.size(); ++i) draw_stated(panel_.stated[i], stated_lines_[i]);
  }

 private:
  double bottom() const { return area_.top + area_.height; }
  double right() const { return area_.left + area_.width; }
  double at_x(double x) const { return area_.left + axes_.x.place(x) * area_.width; }
  double at_y(double y) const { return area_.top + (1 - axes_.y.place(y)) * area_.height; }

  void grid_and_rows() {
    const bool named = !axes_.y_spec.names.empty();
    std::vector<double> rows(axes_.y_spec.names.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i);
    for (const Tick& tick : named ? axes_.y.at_all_values(rows) : axes_.y.at_round_values(area_.height)) {
      const double y = at_y(tick.value), width = named ? widest_row_name : 36;
      if (panel_.cells.empty()) svg_.line(area_.left, y, right(), y, " class=\"grid\" stroke=\"#ddd\" stroke-width=\"0.8\"");
      svg_.text(area_.left - 6, y + 3.5, small_letters, fitted(tick.label, small_letters, width), Anchor::end, false, ink);
    }
  }
  void columns() {
    for (const Tick& tick : x_ticks()) {
      const double x = at_x(tick.value);
      svg_.line(x, bottom(), x, bottom() + (tick.label.empty() ? 3 : 5),
                " class=\"tick\" stroke=\"#333\" stroke-width=\"1\"");
      if (axes_.turned_names)
        svg_.text(x + 3.5, bottom() + 8, small_letters, fitted(tick.label, small_letters, longest_turned_name), Anchor::end,
                  true, ink);
      else
        svg_.text(x, bottom() + 17, small_letters, tick.label, Anchor::middle, false, ink);
    }
  }
  std::vector<Tick> x_ticks() const {
    if (axes_.round_x) return axes_.x.at_round_values(area_.width);
    if (axes_.turned_names) return axes_.x.at_all_values(axes_.x_ticks);
    return axes_.x.at_values(axes_.x_ticks, area_.width, small_letters);
  }
  void frame() {
    svg_.path(
        "M" + coordinate(area_.left) + " " + coordinate(area_.top) + "V" + coordinate(bottom()) + "H" + coordinate(right()),
        " class=\"axis\" stroke=\"#333\" fill=\"none\"");
  }

  void draw_series(const ChartSeries& series, std::size_t bar) {
    if (is_drawn_through(series)) stretches(series);
    for (const ChartPoint& p : series.points)
      if (has_place(p, axes_.x_spec, axes_.y_spec)) draw_point(series, p, bar);
  }
  void draw_point(const ChartSeries& series, const ChartPoint& p, std::size_t bar) {
    const std::string& colour = series.style.colour;
    const std::string hover = (series.name.empty() ? "" : series.name + ": ") + hover_of(series, p);
    const double x = at_x(p.x), y = at_y(*p.y);
    switch (series.kind) {
      case SeriesKind::line:
        if (p.high > p.low) draw_spread(svg_, x, at_y(p.low), at_y(p.high), colour);
        if (series.style.marked) draw_marker(svg_, x, y, series.style, hover, 1 + 0.5 * static_cast<double>(p.under));
        break;
      case SeriesKind::measured:
        draw_cross(svg_, x, y, colour, hover);
        break;
      case SeriesKind::dots:
        draw_dot(svg_, x, y, colour, hover);
        break;
      case SeriesKind::rings:
        draw_ring(svg_, x, y, colour, hover);
        break;
      case SeriesKind::bars:
        draw_bar(p, bar, colour, hover);
        break;
      case SeriesKind::boxes:
        if (p.box)
          draw_box(svg_, x, box_share * room(), at_y(p.low), at_y(p.high),
                   {at_y(p.box->first), at_y(p.box->median), at_y(p.box->third)}, colour, hover);
        break;
      case SeriesKind::ranges:
        draw_range(p, colour, hover);
        break;
      case SeriesKind::curve:
      case SeriesKind::bound:
        break;
    }
    if (series.kind != SeriesKind::ranges && !p.label.empty())
      texts_.place(p.label, stated_letters,
                   {{x, y - 7, Anchor::middle}, {x, y + 14, Anchor::middle}, {x - 6, y - 4, Anchor::end}, {x + 6, y + 10}});
  }
  std::string hover_of(const ChartSeries& series, const ChartPoint& p) const {
    if (series.kind == SeriesKind::ranges)
      return axes_.y.label(*p.y) + ", " + axes_.x.label(p.low) + " to " + axes_.x.label(p.high);
    return axes_.x.label(p.x) + ", " + axes_.y.label(*p.y);
  }
  /// Returns the space of a name along x, in pixels.
  double room() const { return (axes_.x.place(1) - axes_.x.place(0)) * area_.width; }
  void draw_bar(const ChartPoint& p, std::size_t bar, const std::string& colour, const std::string& hover) {
    const double width = bars_share * room() / static_cast<double>(bars_);
    const double left = at_x(p.x) - bars_share / 2 * room() + width * static_cast<double>(bar);
    const double foot = axes_.y_spec.logarithmic ? bottom() : std::clamp(at_y(0), area_.top, bottom()), top = at_y(*p.y);
    svg_.rect(left, std::min(top, foot), width, std::max(top, foot) - std::min(top, foot),
              " class=\"bar\" fill=\"" + colour + "\"", hover);
    if (p.high > p.low) draw_spread(svg_, left + width / 2, at_y(p.low), at_y(p.high), "#333");
  }
  void draw_range(const ChartPoint& p, const std::string& colour, const std::string& hover) {
    const double y = at_y(*p.y), low = at_x(p.low), high = at_x(p.high);
    svg_.line(low, y, high, y, " class=\"range\" stroke=\"" + colour + "\" stroke-width=\"5\"", hover);
    texts_.place(p.label, range_letters, {{low - 4, y + 3, Anchor::end}});
    texts_.place(p.high_label, range_letters, {{high + 4, y + 3}});
  }
  /// Returns the width of a line that is drawn under a number of equal lines.
  static double width_of(std::size_t under) { return 1.7 + 2.6 * static_cast<double>(under); }
  /// Draws the parts of a line that are under equal lines, wide enough to show on both sides.
  void borders(const ChartSeries& series, const SeriesStyle& style, double width) {
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      const ChartPoint &p = series.points[i - 1], &q = series.points[i];
      const std::size_t under = std::min(p.under, q.under);
      if (under == 0 || !has_place(p, axes_.x_spec, axes_.y_spec) || !has_place(q, axes_.x_spec, axes_.y_spec)) continue;
      svg_.line(at_x(p.x), at_y(*p.y), at_x(q.x), at_y(*q.y),
                stroke(style, width + width_of(under) - width_of(0), "border"));
    }
  }
  /// Draws a line above the bar of each name, as the bounds have the order of the bars.
  void bounds_of_names(const ChartSeries& series, const std::string& look) {
    double number = 0, count = 0;
    for (const ChartSeries& other : panel_.series) {
      if (&other == &series) number = count;
      count += other.kind == SeriesKind::bound ? 1 : 0;
    }
    const double width = bars_share * room() / count;
    for (const ChartPoint& p : series.points) {
      const double left = at_x(p.x) - bars_share / 2 * room() + width * number;
      if (has_place(p, axes_.x_spec, axes_.y_spec)) svg_.polyline({{left, at_y(*p.y)}, {left + width, at_y(*p.y)}}, look);
    }
  }
  /// Draws one polyline per sequence of points without a gap.
  void stretches(const ChartSeries& series) {
    const bool bound = series.kind == SeriesKind::bound;
    SeriesStyle style = series.style;
    if (bound) style.dash = Dash::dashed;
    const double width = bound ? 1.1 : width_of(0);
    const std::string look = stroke(style, width, bound ? "bound" : "series");
    if (bound && !axes_.x_spec.names.empty()) return bounds_of_names(series, look);
    borders(series, style, width);
    Svg::Points run;
    const auto end = [&] {
      if (run.size() > 1) svg_.polyline(run, look);
      run.clear();
    };
    for (const ChartPoint& p : series.points) {
      if (has_place(p, axes_.x_spec, axes_.y_spec))
        run.emplace_back(at_x(p.x), at_y(*p.y));
      else
        end();
    }
    end();
  }

  /// Adds the parts of a series that texts should not hide.
  void add_obstacles(const ChartSeries& series) {
    std::optional<TextPlacer::Point> before;
    std::size_t under = 0;
    for (const ChartPoint& p : series.points) {
      if (!has_place(p, axes_.x_spec, axes_.y_spec)) {
        before.reset();
        continue;
      }
      const TextPlacer::Point here{at_x(p.x), at_y(*p.y)};
      const bool drawn_through = before && is_drawn_through(series);
      texts_.add_obstacle(drawn_through ? *before : here, here,
                          width_of(drawn_through ? std::min(under, p.under) : p.under));
      before = here, under = p.under;
    }
  }
  std::size_t add_obstacle(const Stated& stated) {
    const double left = stated.x ? at_x(*stated.x) : area_.left, low = stated.y ? at_y(*stated.y) : bottom();
    return texts_.add_obstacle({left, low}, {stated.x ? left : right(), stated.y ? low : area_.top}, 1);
  }
  void draw_stated(const Stated& stated, std::size_t own) {
    const std::string look = stroke({"#222", 0, Dash::dashed, false}, 0.9, "stated");
    if (stated.x && stated.y) {
      const double x = at_x(*stated.x), y = at_y(*stated.y);
      draw_star(svg_, x, y, stated.text);
      return texts_.place(stated.text, stated_letters,
                          {{x - 10, y + 3, Anchor::end}, {x - 10, y - 9, Anchor::end}, {x - 10, y + 15, Anchor::end}}, own);
    }
    if (stated.x) {
      const double x = at_x(*stated.x);
      svg_.line(x, area_.top, x, bottom(), look, stated.text);
      return texts_.place(stated.text, stated_letters, beside(x), own);
    }
    const double y = at_y(*stated.y);
    svg_.line(area_.left, y, right(), y, look, stated.text);
    std::vector<TextPlace> places;
    const double longest = area_.width - text_width(stated.text, stated_letters) - 4;
    for (double along = 4; along <= std::max(4.0, longest); along += 30)
      for (const double side : {-3.0, 9.0}) places.push_back({area_.left + along, y + side});
    texts_.place(stated.text, stated_letters, places, own);
  }
  /// Returns places of a text at a vertical line: along it, otherwise on either side.
  std::vector<TextPlace> beside(double x) const {
    std::vector<TextPlace> places;
    for (const double along : {4.0, 40.0, 80.0, 120.0})
      for (const double side : {10.0, -3.0}) places.push_back({x + side, bottom() - along, Anchor::start, true});
    for (double along = 6; along < area_.height; along += 12)
      for (const bool left : {true, false})
        places.push_back({left ? x - 4 : x + 4, bottom() - along, left ? Anchor::end : Anchor::start});
    return places;
  }
  static bool is_drawn_through(const ChartSeries& series) {
    return series.kind == SeriesKind::line || series.kind == SeriesKind::curve || series.kind == SeriesKind::bound;
  }

  Svg& svg_;
  const ChartPanel& panel_;
  const PanelAxes& axes_;
  const PanelArea area_;
  TextPlacer texts_;
  std::vector<std::size_t> stated_lines_;  ///< numbers of the obstacles
  std::size_t bars_ = 0;                   ///< number of series of bars
};

}  // namespace

bool has_place(const ChartPoint& point, const AxisSpec& x, const AxisSpec& y) {
  return point.y && !(x.logarithmic && point.x <= 0) && !(y.logarithmic && (*point.y <= 0 || point.low <= 0));
}

void draw_panel(Svg& svg, const ChartPanel& panel, const PanelAxes& axes, const PanelArea& area) {
  PanelDrawing(svg, panel, axes, area).draw();
}

void draw_panel_title(Svg& svg, const std::string& title, const PanelArea& area) {
  svg.text(area.left + area.width / 2, area.top - 13, letters, fitted(title, letters, area.width), Anchor::middle, false,
           std::string(ink) + " font-weight=\"bold\"");
}

}  // namespace tributary::plot
