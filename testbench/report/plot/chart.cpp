#include "testbench/report/plot/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "testbench/report/plot/colour_scale.h"
#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/marks.h"
#include "testbench/report/plot/panel.h"

namespace tributary::plot {
namespace {

constexpr double panel_width = 380, panel_height = 250;  // minimum size of the area within the axes
constexpr double widest_panel = 2400, tallest_panel = 1600;
constexpr double left_margin = 62, right_margin = 18, top_margin = 26, bottom_margin = 52, title_height = 24;
constexpr double cell_pitch = 44, name_pitch = 13, row_pitch = 17;  // space needed by a name along x, and along y
constexpr std::size_t panels_in_row = 3;
constexpr double largest_legend = 320;
constexpr double widest_for_labels = 1.25;              // share of the usual width that labels of all ticks may need
constexpr double room_for_stated = 17;                  // pixels below the lowest line that has a text
constexpr double scale_width = 16, scale_height = 160;  // size of the colour scale of heat maps
constexpr double room_for_labels = 0.16;                // space beside ranges, as a fraction of their span

constexpr std::array<const char*, 8> palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000", "#8C6D1F"};

bool has_own_axes(const ChartPanel& panel) { return panel.x || panel.y; }
const AxisSpec& x_of(const Chart& chart, const ChartPanel& panel) { return panel.x ? *panel.x : chart.x; }
const AxisSpec& y_of(const Chart& chart, const ChartPanel& panel) { return panel.y ? *panel.y : chart.y; }
bool any_of_kind(const ChartPanel& panel, SeriesKind kind) {
  return std::any_of(panel.series.begin(), panel.series.end(), [&](auto& s) { return s.kind == kind; });
}
bool has_tick(SeriesKind kind) {
  return kind != SeriesKind::dots && kind != SeriesKind::rings && kind != SeriesKind::ranges;
}

/// Values that the axes of some panels must cover.
struct Covered {
  std::vector<double> x, y, ticks;

  void add(const ChartPanel& panel, const AxisSpec& x_spec, const AxisSpec& y_spec) {
    if (!panel.cells.empty()) add_names(x_spec.names.size(), y_spec.names.size());
    for (const ChartSeries& series : panel.series)
      for (const ChartPoint& p : series.points) {
        const bool range = series.kind == SeriesKind::ranges;
        if (!(x_spec.logarithmic && p.x <= 0)) {
          if (range) x.insert(x.end(), {p.low, p.high});
          if (!range && (x_spec.names.empty() || has_tick(series.kind))) x.push_back(p.x);
          if (has_tick(series.kind)) ticks.push_back(p.x);
        }
        if (!has_place(p, x_spec, y_spec)) continue;
        y.push_back(*p.y);
        if (!range) y.insert(y.end(), {p.low, p.high});
        if (series.kind == SeriesKind::bars && !y_spec.logarithmic) y.push_back(0);
      }
    for (const Stated& stated : panel.stated) {
      if (stated.x) x.push_back(*stated.x);
      if (stated.y) y.push_back(*stated.y);
    }
  }
  void add_names(std::size_t along_x, std::size_t along_y) {
    for (std::size_t i = 0; i < along_x; ++i) x.push_back(static_cast<double>(i)), ticks.push_back(x.back());
    for (std::size_t i = 0; i < along_y; ++i) y.push_back(static_cast<double>(i));
  }
};

class Drawing {
 public:
  explicit Drawing(const Chart& original) : chart_(original) {
    const Chart& chart = chart_;
    for (ChartPanel& panel : chart_.panels) keep_equal_lines_apart(panel, y_of(chart, panel));
    Covered common;
    for (const ChartPanel& panel : chart.panels)
      if (!has_own_axes(panel)) common.add(panel, chart.x, chart.y);
    for (const ChartPanel& panel : chart.panels) {
      Covered own;
      if (has_own_axes(panel)) own.add(panel, x_of(chart, panel), y_of(chart, panel));
      axes_.push_back(axes_of(panel, has_own_axes(panel) ? own : common));
    }
    measure();
    if (chart.columns) left_ = chart.columns->values, width_ = chart.columns->area, right_ = chart.columns->rest;
  }

  ChartDrawing draw() {
    const std::size_t columns = std::min(panels_in_row, chart_.panels.size());
    const std::size_t rows = (chart_.panels.size() + columns - 1) / columns;
    const double wide = left_ + width_ + right_, high = top_margin + height_ + bottom_;
    const double title = chart_.title.empty() ? 0 : title_height;
    const auto width = static_cast<double>(columns) * wide, height = title + static_cast<double>(rows) * high;
    const double legend = legend_width(), whole = std::max(height, title + legend_height() + 2 * top_margin);
    svg_.rect(0, 0, width + legend, whole, " class=\"paper\" fill=\"#fff\"");
    svg_.text(left_, 18, letters + 1, fitted(chart_.title, letters + 1, width - left_), Anchor::start, false,
              std::string(ink) + " font-weight=\"bold\"");
    for (std::size_t i = 0; i < chart_.panels.size(); ++i)
      draw_one(i, {static_cast<double>(i % columns) * wide + left_,
                   title + static_cast<double>(i / columns) * high + top_margin, width_, height_});
    draw_legend(width + 6, title + top_margin + 6);
    return {std::move(svg_), width + legend, whole};
  }

 private:
  PanelAxes axes_of(const ChartPanel& panel, const Covered& covered) const {
    AxisSpec x = x_of(chart_, panel), y = y_of(chart_, panel);
    if (any_of_kind(panel, SeriesKind::ranges)) x.margin = room_for_labels;
    make_room_for_stated(panel, y, covered);
    PanelAxes axes{x, y, Axis(x, covered.x), Axis(y, covered.y), covered.ticks, false, false};
    axes.round_x = covered.ticks.empty() || any_of_kind(panel, SeriesKind::curve) || any_of_kind(panel, SeriesKind::ranges);
    return axes;
  }
  /// Moves the lower end of an axis if it is a line with a text, so that the text can be below the line.
  static void make_room_for_stated(const ChartPanel& panel, AxisSpec& y, const Covered& covered) {
    if (y.low || !y.names.empty() || covered.y.empty()) return;
    const auto [least, most] = std::minmax_element(covered.y.begin(), covered.y.end());
    const bool lowest = std::any_of(panel.stated.begin(), panel.stated.end(), [low = *least](const Stated& stated) {
      return stated.y == low && !stated.x && !stated.text.empty();
    });
    if (!lowest || *most <= *least || (y.from_zero && !y.logarithmic && *least >= 0)) return;
    constexpr double room = room_for_stated / panel_height;
    y.low = y.logarithmic ? *least * std::pow(*least / *most, room) : *least - room * (*most - *least);
  }
  /// Determines the size that the panel with the most names needs.
  void measure() {
    for (const PanelAxes& axes : axes_) {
      width_ = std::clamp(name_pitch * static_cast<double>(axes.x_spec.names.size()), width_, widest_panel);
      if (chart_.scale)
        width_ = std::clamp(cell_pitch * static_cast<double>(axes.x_spec.names.size()), width_, widest_panel);
      height_ = std::clamp(row_pitch * static_cast<double>(axes.y_spec.names.size()), height_, tallest_panel);
      for (const std::string& name : axes.y_spec.names)
        left_ = std::max(left_, std::min(text_width(name, small_letters), widest_row_name) + 34);
    }
    for (const PanelAxes& axes : axes_) {
      const double needed = axes.round_x ? 0 : axes.x.length_for_labels(axes.x_ticks, small_letters);
      if (axes.x_spec.names.empty() && needed <= widest_for_labels * panel_width) width_ = std::max(width_, needed);
    }
    for (PanelAxes& axes : axes_) {
      const std::vector<Tick> ticks = axes.x.at_values(axes.x_ticks, width_, small_letters);
      const bool crowded = std::any_of(ticks.begin(), ticks.end(), [](auto& tick) { return tick.label.empty(); });
      const auto names = static_cast<double>(axes.x_spec.names.size());
      axes.turned_names = names > 0 && crowded && name_pitch * names <= widest_panel;
      if (!axes.turned_names) continue;
      for (const std::string& name : axes.x_spec.names)
        bottom_ = std::max(bottom_, std::min(text_width(name, small_letters), longest_turned_name) + 34);
    }
  }
  void draw_one(std::size_t number, const PanelArea& area) {
    const ChartPanel& panel = chart_.panels[number];
    if (panel.graph) return draw_graph(svg_, panel, area);
    const PanelAxes& axes = axes_[number];
    if (chart_.scale) draw_cells(svg_, panel, axes, area, *chart_.scale);
    draw_panel(svg_, panel, axes, area);
    const double middle = area.left + width_ / 2;
    svg_.text(middle, area.top + height_ + bottom_ - 14, letters, fitted(axes.x_spec.title, letters, width_), Anchor::middle,
              false, ink);
    svg_.text(area.left - left_ + 15, area.top + height_ / 2, letters, fitted(axes.y_spec.title, letters, height_),
              Anchor::middle, true, ink);
  }

  /// Returns the named series, each name once, in panel order.
  std::vector<const ChartSeries*> shown() const {
    std::vector<const ChartSeries*> all;
    for (const ChartPanel& panel : chart_.panels)
      for (const ChartSeries& series : panel.series)
        if (std::none_of(all.begin(), all.end(), [&](auto* s) { return s->name == series.name && s->kind == series.kind; }))
          all.push_back(&series);
    const bool nameless = std::all_of(all.begin(), all.end(), [](auto* s) { return s->name.empty(); });
    return nameless ? std::vector<const ChartSeries*>() : all;
  }
  double legend_width() const {
    double width = chart_.scale ? scale_width + 60 : 0;
    const std::vector<const ChartSeries*> all = shown();
    for (const ChartSeries* series : all) width = std::max(width, 1.15 * text_width(series->name, letters) + 40);
    if (!all.empty() || chart_.scale) width = std::max(width, 1.15 * text_width(legend_title(), letters) + 16);
    return std::min(width, largest_legend);
  }
  std::string legend_title() const { return chart_.scale ? chart_.scale->title : chart_.legend; }
  double legend_height() const {
    const double title = legend_title().empty() ? 0 : 17;
    return title + (chart_.scale ? scale_height : static_cast<double>(shown().size()) * 17);
  }
  void draw_legend(double x, double y) {
    const std::vector<const ChartSeries*> all = shown();
    if (const std::string title = legend_title(); !title.empty() && (!all.empty() || chart_.scale)) {
      svg_.text(x, y + 4, letters, fitted(title, letters, largest_legend - 12), Anchor::start, false,
                std::string(ink) + " font-weight=\"bold\"");
      y += 17;
    }
    if (chart_.scale) return draw_scale(x, y);
    for (const ChartSeries* series : all) {
      if (series->name.empty()) continue;
      svg_.open_group(" class=\"legend\"");
      draw_sample(*series, x, y);
      svg_.close_group();
      svg_.text(x + 28, y + 4, letters, fitted(series->name, letters, largest_legend - 40), Anchor::start, false, ink);
      y += 17;
    }
  }
  /// Draws all colours upwards, with labels at round values.
  void draw_scale(double x, double y) {
    constexpr double part = scale_height / scale_colours;
    for (int i = 0; i < scale_colours; ++i)
      svg_.rect(x, y + scale_height - part * (i + 1), scale_width, part + 0.2,
                std::string(" class=\"cell\" fill=\"") + scale_colour(i) + "\"");
    const Axis axis = axis_of(*chart_.scale);
    for (const Tick& tick : axis.at_round_values(scale_height))
      svg_.text(x + scale_width + 5, y + (1 - axis.place(tick.value)) * scale_height + 3.5, small_letters, tick.label,
                Anchor::start, false, ink);
  }
  void draw_sample(const ChartSeries& series, double x, double y) {
    const std::string& colour = series.style.colour;
    SeriesStyle style = series.style;
    switch (series.kind) {
      case SeriesKind::measured:
        return draw_cross(svg_, x + 11, y, colour, "");
      case SeriesKind::dots:
        return draw_dot(svg_, x + 11, y, colour, "");
      case SeriesKind::rings:
        return draw_ring(svg_, x + 11, y, colour, "");
      case SeriesKind::bars:
      case SeriesKind::boxes:
        return svg_.rect(x + 4, y - 5, 14, 10, " class=\"bar\" fill=\"" + colour + "\"");
      case SeriesKind::ranges:
        return svg_.line(x, y, x + 22, y, " class=\"range\" stroke=\"" + colour + "\" stroke-width=\"5\"");
      case SeriesKind::bound:
        style.dash = Dash::dashed;
        return svg_.line(x, y, x + 22, y, stroke(style, 1.1, "sample"));
      case SeriesKind::line:
      case SeriesKind::curve:
        svg_.line(x, y, x + 22, y, stroke(style, 1.7, "sample"));
        if (series.kind == SeriesKind::line && style.marked) draw_marker(svg_, x + 11, y, style, "");
    }
  }

  Chart chart_;
  std::vector<PanelAxes> axes_;  ///< by panel
  double width_ = panel_width, height_ = panel_height, left_ = left_margin, right_ = right_margin, bottom_ = bottom_margin;
  Svg svg_;
};

}  // namespace

const std::vector<std::string>& series_kind_names() {
  static const std::vector<std::string> names{"line",  "curve", "bound", "measured", "dots",
                                              "rings", "bars",  "boxes", "ranges"};
  return names;
}

std::string series_colour(std::size_t number) { return palette[number % palette.size()]; }

/// Five markers are combined with eight colours; the sixth marker is a cross, used only if a file requests it.
SeriesStyle series_style(std::size_t number) { return {series_colour(number), number % 5, Dash::solid, true}; }

ChartDrawing draw(const Chart& chart) { return Drawing(chart).draw(); }

}  // namespace tributary::plot
