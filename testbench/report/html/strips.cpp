#include "testbench/report/html/strips.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "testbench/report/html/shades.h"
#include "testbench/report/plot/axis.h"
#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

using plot::coordinate;

constexpr double labels = TimeColumns::names, area = TimeColumns::axis, row_height = 11, bar = 9, letters = 9;

/// Returns the distance in pixels from the left edge of the area.
double at(Tick time, const TimeScale& scale) {
  return area * static_cast<double>(time) / static_cast<double>(std::max<Tick>(1, scale.length));
}

void time_axis(plot::Svg& svg, double y, const TimeScale& scale) {
  const TimeUnit unit = unit_of(scale.length);
  const double whole = static_cast<double>(scale.length) / unit.picoseconds;
  const plot::Axis axis({}, {0, whole});
  svg.line(labels, y, labels + area, y, " class=\"axis\"");
  svg.open_group(" class=\"ticks\" data-y=\"" + coordinate(y) + "\"");
  for (const plot::Tick& tick : axis.at_round_values(area / 2)) {
    const double x = labels + axis.place(tick.value) * area;
    svg.line(x, y, x, y + 4, " class=\"axis\"");
    svg.text(x, y + 15, 10, tick.label, plot::Anchor::middle);
  }
  svg.close_group();
  svg.text(labels + area + 30, y + 15, 10, unit.name, plot::Anchor::start);
}

void row_begin(plot::Svg& svg, std::size_t row, const std::string& name, const std::string& about) {
  const double y = static_cast<double>(row) * row_height;
  svg.open_group(" class=\"row\"");
  svg.rect(labels, y + 1, area, bar, " class=\"empty\"", name + (about.empty() ? "" : ": " + about));
  svg.text(labels - 6, y + 8.5, letters, plot::fitted(name, letters, labels - 8), plot::Anchor::end);
  svg.open_group(" class=\"times\"");
}

/// Parts of a row with the same style are one path of wide strokes.
void row_end(plot::Svg& svg, std::size_t row, const std::map<std::string, std::string>& paths) {
  const std::string middle = coordinate(static_cast<double>(row) * row_height + 1 + bar / 2);
  for (const auto& [attributes, commands] : paths) {
    std::string placed;
    for (const char c : commands) placed += c == '@' ? middle : std::string(1, c);
    svg.path(placed, attributes);
  }
  svg.close_group();
  svg.close_group();
}

/// Returns the shortest text from which a script reads the number.
std::string printed(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string drawn(plot::Svg& svg, std::size_t rows, const TimeScale& scale, const std::string& about) {
  const double y = static_cast<double>(rows) * row_height + 3;
  time_axis(svg, y, scale);
  const double whole = static_cast<double>(scale.length) / unit_of(scale.length).picoseconds;
  return svg.element(TimeColumns::all, y + 22, about, " class=\"strips\" data-length=\"" + printed(whole) + "\"");
}

std::string stroke_part(double from, double to) {
  return "M" + coordinate(labels + from) + " @h" + coordinate(std::max(0.3, to - from));
}

}  // namespace

TimeUnit unit_of(Tick length) {
  for (const TimeUnit unit : {TimeUnit{"ms", 1e9}, TimeUnit{"us", 1e6}, TimeUnit{"ns", 1e3}})
    if (static_cast<double>(length) >= 2 * unit.picoseconds) return unit;
  return {"ps", 1};
}

std::string draw_strips(const std::vector<Strip>& strips, const TimeScale& scale, const std::string& about) {
  plot::Svg svg;
  for (std::size_t row = 0; row < strips.size(); ++row) {
    const Strip& strip = strips[row];
    row_begin(svg, row, strip.name, strip.about);
    std::map<std::string, std::string> paths;
    for (std::size_t i = 0; i < strip.shares.size();) {
      std::size_t end = i + 1;
      const bool empty = strip.shares[i] <= 0;
      while (end < strip.shares.size() && (strip.shares[end] <= 0) == empty &&
             (empty || shade_of(strip.shares[end]) == shade_of(strip.shares[i])))
        ++end;
      if (!empty)
        paths[" class=\"" + shade_class(strip.shares[i]) + "\""] +=
            stroke_part(at(static_cast<Tick>(i) * scale.stretch, scale),
                        at(std::min(scale.length, static_cast<Tick>(end) * scale.stretch), scale));
      i = end;
    }
    row_end(svg, row, paths);
  }
  return drawn(svg, strips.size(), scale, about);
}

std::string draw_lanes(const std::vector<Lane>& lanes, const TimeScale& scale, const std::string& about) {
  plot::Svg svg;
  for (std::size_t row = 0; row < lanes.size(); ++row) {
    row_begin(svg, row, lanes[row].name, lanes[row].about);
    std::map<std::string, std::string> paths;
    for (const LanePart& part : lanes[row].parts)
      paths[" stroke=\"" + plot::series_colour(part.colour) + "\""] +=
          stroke_part(at(part.from, scale), at(std::min(part.to, scale.length), scale));
    row_end(svg, row, paths);
  }
  return drawn(svg, lanes.size(), scale, about);
}

}  // namespace tributary::html
