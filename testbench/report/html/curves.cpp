#include "testbench/report/html/curves.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "testbench/report/html/embedded_script.h"
#include "testbench/report/html/page_script.h"
#include "testbench/report/plot/chart.h"

namespace tributary::html {
namespace {

/// Four decimals: what a page shows.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

}  // namespace

std::string draw_curves(const std::string& title, const std::vector<std::pair<std::string, std::vector<double>>>& lines,
                        const TimeScale& scale) {
  const double stretch_us = static_cast<double>(scale.stretch) * 1e-6;
  plot::Chart chart;
  chart.x.title = "time (us)", chart.y.title = title;
  chart.y.from_zero = true, chart.y.margin = 0.04;
  chart.panels.emplace_back();
  nlohmann::ordered_json data{{"title", title}, {"stretch_us", stretch_us}, {"lines", nlohmann::ordered_json::array()}};
  for (const auto& [name, values] : lines) {
    plot::ChartSeries series{name, plot::SeriesKind::curve, plot::series_style(chart.panels.front().series.size()), {}};
    std::vector<double> shown;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * stretch_us;
      series.points.push_back({middle, values[i], values[i], values[i], {}, "", ""});
      shown.push_back(rounded(values[i]));
    }
    data["lines"].push_back({{"name", name}, {"colour", series.style.colour}, {"values", shown}});
    chart.panels.front().series.push_back(std::move(series));
  }
  const plot::ChartDrawing drawing = plot::draw(chart);
  return "<div class=\"curves\">" + drawing.svg.element(drawing.width, drawing.height, title + " over time") +
         data_script("class=\"data\"", data) + "</div>\n";
}

std::string curves_scripts() {
  return "<style>" + std::string(uplot_style) +
         ".drawn>svg{display:none}@media print{.drawn>svg{display:block}.drawn>.chart{display:none}}</style>\n" +
         script(uplot_script) + script(curves_script);
}

}  // namespace tributary::html
