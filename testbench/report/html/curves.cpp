#include "testbench/report/html/curves.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "testbench/report/html/embedded_script.h"
#include "testbench/report/html/page.h"
#include "testbench/report/html/page_script.h"
#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

constexpr std::size_t longest_side_title = 28;  ///< a longer title is above the chart

/// Four decimals: what a page shows.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

/// Returns the legend of the drawing that a chart replaces.
std::string legend(const std::vector<plot::ChartSeries>& lines, const std::vector<std::string>& names) {
  std::string text = "<p class=\"key\">";
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += "<span><i style=\"background:" + lines[i].style.colour + "\"></i> " + plot::xml_text(names[i]) + "</span> ";
  return text + "</p>\n";
}

}  // namespace

std::string draw_curves(const std::string& title, const std::vector<std::pair<std::string, std::vector<double>>>& lines,
                        const TimeScale& scale) {
  const TimeUnit unit = unit_of(scale.length);
  const double stretch = static_cast<double>(scale.stretch) / unit.picoseconds,
               length = static_cast<double>(scale.length) / unit.picoseconds;
  plot::Chart chart;
  chart.x.title = std::string("time (") + unit.name + ")", chart.y.title = title;
  chart.x.low = 0, chart.x.high = length;
  const bool above = title.size() > longest_side_title;
  if (above) chart.y.title.clear();
  chart.y.from_zero = true, chart.y.margin = 0.04;
  chart.columns = {TimeColumns::names, TimeColumns::axis, TimeColumns::unit};
  chart.panels.emplace_back();
  nlohmann::ordered_json data{{"title", chart.y.title},
                              {"unit", unit.name},
                              {"stretch", stretch},
                              {"length", length},
                              {"columns", {TimeColumns::names, TimeColumns::axis, TimeColumns::unit}},
                              {"lines", nlohmann::ordered_json::array()}};
  std::vector<std::string> names;
  for (const auto& [name, values] : lines) {
    plot::ChartSeries series{"", plot::SeriesKind::curve, plot::series_style(chart.panels.front().series.size()), {}};
    std::vector<double> shown;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double middle = std::min((static_cast<double>(i) + 0.5) * stretch, length);
      series.points.push_back({middle, values[i], values[i], values[i], {}, "", ""});
      shown.push_back(rounded(values[i]));
    }
    data["lines"].push_back({{"name", name}, {"colour", series.style.colour}, {"values", shown}});
    names.push_back(name);
    chart.panels.front().series.push_back(std::move(series));
  }
  const plot::ChartDrawing drawing = plot::draw(chart);
  return (above ? paragraph(title, "soft") : "") + "<div class=\"curves\">" + legend(chart.panels.front().series, names) +
         drawing.svg.element(drawing.width, drawing.height, title + " over time") + data_script("class=\"data\"", data) +
         "</div>\n";
}

std::string curves_scripts() {
  return "<style>" + std::string(uplot_style) +
         ".drawn>svg,.drawn>.key{display:none}@media print{.drawn>svg,.drawn>.key{display:block}.drawn>.chart{display:none}}"
         ".strips{touch-action:pan-y}.chosen{fill:#8886}</style>\n" +
         script(uplot_script) + script(curves_script);
}

}  // namespace tributary::html
