#include "testbench/report/plot/energy_bars.h"

#include <algorithm>
#include <cmath>

#include "modules/base/text_format.h"
#include "testbench/report/plot/font_table.h"

namespace tributary::plot {
namespace {

constexpr double bar_font = 11, bar_step = 34, bar_height = 18, bars_top = 34, bars_margin = 12, bars_width = 520;

/// Returns the colour of a part; the same in all drawings.
const char* part_colour(const std::string& part) {
  constexpr std::pair<const char*, const char*> colours[] = {
      {"links", "#31688e"},   {"switches", "#35b779"},    {"nics", "#90d743"},
      {"memory", "#e08b3e"},  {"tables", "#b5367a"},      {"adders", "#443983"},
      {"buffers", "#fb8861"}, {"accelerator", "#8c2981"}, {"kernels", "#6b6b6b"}};
  for (const auto& [name, colour] : colours)
    if (part == name) return colour;
  return "#999999";
}

/// Returns a step of 1, 2 or 5 times a power of ten, at most eight of which reach `most`.
double energy_step(double most) {
  const double power = std::pow(10, std::floor(std::log10(most / 8)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power * 8 >= most) return factor * power;
  return 10 * power;
}

std::string energy_value_text(double x) { return fixed(x, x >= 10 ? 0 : 2); }

}  // namespace

EnergyDrawing draw_energy(const std::vector<EnergyBar>& bars) {
  EnergyDrawing drawing;
  Svg& svg = drawing.svg;
  double most = 1e-9, labels = 40;
  for (const EnergyBar& bar : bars) {
    most = std::max(most, bar.high);
    labels = std::max(labels, text_width(bar.label, bar_font));
  }
  const double left = bars_margin + labels + 8, bottom = bars_top + bar_step * static_cast<double>(bars.size());
  const auto x = [&](double value) { return left + value / most * bars_width; };
  drawing.width = left + bars_width + 60 + bars_margin;
  drawing.height = bottom + 46;
  svg.rect(0, 0, drawing.width, drawing.height, " class=\"paper\" fill=\"#fff\"");
  const double step = energy_step(most);
  for (double tick = 0; tick <= most + 1e-9; tick += step) {
    svg.line(x(tick), bars_top - 4, x(tick), bottom, " class=\"grid\" stroke=\"#ddd\"");
    svg.text(x(tick), bars_top - 8, bar_font, energy_value_text(tick), Anchor::middle);
  }
  double y = bars_top;
  std::vector<std::string> legend;
  for (const EnergyBar& bar : bars) {
    double at = 0;
    svg.text(bars_margin, y + 14, bar_font, bar.label);
    for (const auto& [part, value] : bar.parts) {
      const std::string hover = bar.label + ", " + part + ": " + energy_value_text(value) + " pJ/B";
      svg.rect(x(at), y, x(at + value) - x(at), bar_height, std::string(" fill=\"") + part_colour(part) + "\"", hover);
      at += value;
      if (std::find(legend.begin(), legend.end(), part) == legend.end()) legend.push_back(part);
    }
    const double begin = x(at), end = x(at + bar.standing);
    svg.rect(begin, y, end - begin, bar_height, " fill=\"#eee\" stroke=\"#888\"",
             bar.label + ", standing: " + energy_value_text(bar.standing) + " pJ/B");
    for (double hatch = begin + 6; hatch < end; hatch += 6)
      svg.line(hatch, y, hatch - 6, y + bar_height, " class=\"hatch\" stroke=\"#888\"");
    svg.line(x(bar.low), y + bar_height + 4, x(bar.high), y + bar_height + 4, " class=\"range\" stroke=\"#444\"",
             "range of prices: " + energy_value_text(bar.low) + " to " + energy_value_text(bar.high) + " pJ/B");
    svg.text(end + 5, y + 14, bar_font, energy_value_text(at + bar.standing));
    y += bar_step;
  }
  double place = left;
  for (const std::string& part : legend) {
    svg.rect(place, bottom + 14, 10, 10, std::string(" fill=\"") + part_colour(part) + "\"");
    svg.text(place + 14, bottom + 23, bar_font, part);
    place += 24 + text_width(part, bar_font);
  }
  svg.text(left, bottom + 40, bar_font, "pJ per byte; hatched: standing; line: range of prices");
  return drawing;
}

}  // namespace tributary::plot
