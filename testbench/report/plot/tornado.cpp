#include "testbench/report/plot/tornado.h"

#include <algorithm>
#include <cmath>

#include "modules/base/text_format.h"
#include "testbench/report/plot/font_table.h"

namespace tributary::plot {
namespace {

constexpr double font = 11, row_height = 26, half = 9, top = 34, margin = 12, plot_width = 460, number_width = 58;

std::string percent(double gain) { return (gain > 0 ? "+" : "") + fixed(100 * gain, 1) + " %"; }

/// Scale of the axis: gains to pixels.
struct Scale {
  double left, least, most;
  double x(double gain) const { return left + (gain - least) / (most - least) * plot_width; }
};

double label_width(const std::vector<TornadoBar>& bars) {
  double width = 60;
  for (const TornadoBar& bar : bars) width = std::max(width, text_width(bar.label, font));
  return width;
}

Scale scale_of(const std::vector<TornadoBar>& bars, double band) {
  double least = -0.1, most = 0.1;
  for (const TornadoBar& bar : bars)
    for (const auto& gain : {bar.doubled, bar.halved})
      if (gain) least = std::min(least, *gain), most = std::max(most, *gain);
  least = std::max(-1.0, std::min(least, -band));
  most = std::min(1.0, std::max(most, band));
  const auto outwards = [](double x) { return x < 0 ? std::floor(10 * x + 1e-9) / 10 : std::ceil(10 * x - 1e-9) / 10; };
  return {margin + label_width(bars) + 8 + number_width, outwards(least), outwards(most)};
}

void draw_axis(Svg& svg, const Scale& scale, double bottom) {
  const double step = scale.most - scale.least > 1 ? 0.25 : 0.1;
  for (double tick = std::ceil(scale.least / step - 1e-9) * step; tick <= scale.most + 1e-9; tick += step) {
    const double x = scale.x(tick);
    svg.line(x, top - 4, x, bottom, " class=\"grid\" stroke=\"#ddd\"");
    svg.text(x, top - 8, font, fixed(100 * tick, 0) + " %", Anchor::middle);
  }
  svg.line(scale.x(0), top - 4, scale.x(0), bottom, " class=\"axis\" stroke=\"#444\"");
}

void draw_bar(Svg& svg, const Scale& scale, double y, std::optional<double> gain, const std::string& colour,
              const std::string& hover, bool joint) {
  if (!gain) return;
  const double end = std::min(scale.most, std::max(scale.least, *gain)), x0 = scale.x(0), x1 = scale.x(end);
  const double x = std::min(x0, x1), width = std::max(0.75, std::abs(x1 - x0));
  svg.rect(x, y, width, half, " fill=\"" + colour + "\"" + (joint ? " stroke=\"#000\"" : ""), hover + ": " + percent(*gain));
  if (joint && width > 5) svg.rect(x + 2, y + 2, width - 4, half - 4, " fill=\"none\" stroke=\"#fff\"");
  if (std::abs(*gain) >= 0.0005)
    svg.text(*gain < 0 ? x - 4 : x + width + 4, y + half - 1, 9, percent(*gain), *gain < 0 ? Anchor::end : Anchor::start);
}

}  // namespace

TornadoDrawing draw_tornado(const std::vector<TornadoBar>& bars, double band) {
  TornadoDrawing drawing;
  Svg& svg = drawing.svg;
  const Scale scale = scale_of(bars, band);
  const double bottom = top + row_height * static_cast<double>(bars.size());
  const char *const doubled = "#31688e", *const halved = "#e08b3e";
  drawing.width = scale.left + plot_width + number_width + margin;
  drawing.height = bottom + 44;
  svg.rect(0, 0, drawing.width, drawing.height, " class=\"paper\" fill=\"#fff\"");
  svg.rect(scale.x(-band), top - 4, scale.x(band) - scale.x(-band), bottom - top + 4, " class=\"empty\" fill=\"#e4e4e8\"",
           "noise: within " + fixed(100 * band, 1) + " %");
  draw_axis(svg, scale, bottom);
  double y = top;
  for (const TornadoBar& bar : bars) {
    svg.text(margin, y + half + 4, font, bar.label);
    draw_bar(svg, scale, y, bar.doubled, doubled, bar.label + (bar.joint ? "" : " x2"), bar.joint);
    draw_bar(svg, scale, y + half, bar.halved, halved, bar.label + " /2", false);
    y += row_height;
  }
  const double legend = bottom + 16;
  svg.rect(scale.left, legend, 10, 10, std::string(" fill=\"") + doubled + "\"");
  svg.text(scale.left + 14, legend + 9, font, "x2 (or together)");
  svg.rect(scale.left + 130, legend, 10, 10, std::string(" fill=\"") + halved + "\"");
  svg.text(scale.left + 144, legend + 9, font, "/2");
  svg.text(scale.left + 180, legend + 9, font, "less time than the run, in per cent; grey: noise");
  return drawing;
}

}  // namespace tributary::plot
