// Bars of the effects of variables.
#include <algorithm>
#include <cmath>
#include <utility>

#include "modules/base/text_format.h"
#include "testbench/report/explore/explore_drawings.h"
#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

constexpr double font = 12, bar_height = 13, row_gap = 12, top = 24, margin = 8, plot_width = 680, number_width = 70;
constexpr const char* colours[] = {"#31688e", "#e08b3e"};

struct EffectBar {
  double value = 0;
  std::optional<explore::Interval> within;
  std::string text;
};
struct EffectRow {
  std::string label;
  std::vector<EffectBar> bars;
};
struct EffectChart {
  std::vector<EffectRow> rows;
  std::vector<std::string> kinds;  ///< names of the bars of each row, in their order
  std::string title;
  bool percent = false;

  std::string text(double x) const { return percent ? (x > 0 ? "+" : "") + fixed(100 * x, 1) + " %" : fixed(x, 3); }
};

struct EffectScale {
  double left, low, high, step;
  double x(double value) const { return left + (std::clamp(value, low, high) - low) / (high - low) * plot_width; }
};

double step_of(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / 8)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= span / 8 * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

EffectScale scale_of_effects(const EffectChart& chart) {
  double low = 0, high = 0, label = 40;
  for (const EffectRow& row : chart.rows) {
    label = std::max(label, plot::text_width(row.label, font));
    for (const EffectBar& bar : row.bars) {
      low = std::min({low, bar.value, bar.within ? bar.within->low : 0.0});
      high = std::max({high, bar.value, bar.within ? bar.within->high : 0.0});
    }
  }
  if (chart.percent) low = std::max(low, -1.0);  // a longer bar is cut, and its number follows
  if (!(high > low)) high = low + 1;
  const double step = step_of(high - low);
  return {margin + label + 12 + (low < 0 ? number_width : 0), step * std::floor(low / step + 1e-9),
          step * std::ceil(high / step - 1e-9), step};
}

void draw_effect_axis(plot::Svg& svg, const EffectChart& chart, const EffectScale& scale, double bottom) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(scale.step) - 1e-9)));
  const auto ticks = static_cast<int>(std::lround((scale.high - scale.low) / scale.step));
  for (int i = 0; i <= ticks; ++i) {
    const double tick = scale.low + i * scale.step, x = scale.x(tick);
    svg.line(x, top - 4, x, bottom, " class=\"grid\" stroke=\"#ddd\"");
    svg.text(x, top - 9, 11, chart.percent ? fixed(100 * tick, 0) + " %" : fixed(tick, decimals), plot::Anchor::middle);
  }
  svg.line(scale.x(0), top - 4, scale.x(0), bottom, " class=\"axis\" stroke=\"#444\"");
}

void draw_effect_bar(plot::Svg& svg, const EffectChart& chart, const EffectScale& scale, double y, const EffectBar& bar,
                     const char* colour) {
  const double from = scale.x(0), to = scale.x(bar.value), middle = y + bar_height / 2;
  svg.rect(std::min(from, to), y, std::max(1.0, std::abs(to - from)), bar_height, std::string(" fill=\"") + colour + "\"",
           bar.text + ": " + chart.text(bar.value));
  double end = to;
  if (bar.within) {
    const double low = scale.x(bar.within->low), high = scale.x(bar.within->high);
    end = std::max(end, high);
    const std::string ends = "M" + plot::coordinate(low) + " " + plot::coordinate(middle) + "H" + plot::coordinate(high);
    std::string caps;
    for (const double x : {low, high})
      caps += "M" + plot::coordinate(x) + " " + plot::coordinate(middle - 3) + "V" + plot::coordinate(middle + 3);
    svg.path(ends, " class=\"under\" stroke=\"#fff\" stroke-width=\"3.5\" fill=\"none\"");
    svg.path(ends + caps, " class=\"axis\" stroke=\"#444\" stroke-width=\"1.3\" fill=\"none\"");
  }
  std::string text = chart.text(bar.value);
  if (bar.within) text += "  (" + fixed(bar.within->low, 3) + " to " + fixed(bar.within->high, 3) + ")";
  svg.text(bar.value < 0 ? end - 5 : end + 5, y + bar_height - 2.5, 11, text,
           bar.value < 0 ? plot::Anchor::end : plot::Anchor::start);
}

std::string draw_bars(const EffectChart& chart) {
  plot::Svg svg;
  const EffectScale scale = scale_of_effects(chart);
  double y = top + row_gap / 2, bottom = y;
  for (const EffectRow& row : chart.rows) bottom += bar_height * static_cast<double>(row.bars.size()) + row_gap;
  draw_effect_axis(svg, chart, scale, bottom);
  for (const EffectRow& row : chart.rows) {
    const double height = bar_height * static_cast<double>(row.bars.size());
    svg.text(margin, y + height / 2 + 4, font, row.label);
    for (std::size_t i = 0; i < row.bars.size(); ++i, y += bar_height)
      draw_effect_bar(svg, chart, scale, y, row.bars[i], colours[chart.percent ? row.bars[i].value < 0 : i % 2]);
    y += row_gap;
  }
  double x = scale.left;
  for (std::size_t i = 0; i < chart.kinds.size(); ++i) {
    svg.rect(x, bottom + 12, 10, 10, std::string(" fill=\"") + colours[i % 2] + "\"");
    svg.text(x + 15, bottom + 21, font, chart.kinds[i]);
    x += 15 + plot::text_width(chart.kinds[i], font) + 24;
  }
  svg.text(x, bottom + 21, font, chart.title);
  return svg.element(scale.left + plot_width + 150, bottom + 30, "effects of variables", " class=\"bars\"");
}

template <class Effect, class Key>
std::vector<std::size_t> largest_first(const std::vector<Effect>& effects, Key key) {
  std::vector<std::size_t> order(effects.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(effects[a]) > key(effects[b]); });
  return order;
}

std::string draw_morris(const ExploreReport& report) {
  EffectChart chart{{}, {"mu*: mean effect", "sigma: its spread"}, "on ln(" + report.of + ")"};
  for (const std::size_t v : largest_first(report.morris, [](const auto& effect) { return effect.mu_star; }))
    chart.rows.push_back(
        {report.variables[v].name, {{report.morris[v].mu_star, {}, "mu*"}, {report.morris[v].sigma, {}, "sigma"}}});
  return draw_bars(chart);
}

std::string draw_sobol(const ExploreReport& report) {
  EffectChart chart{{}, {"S1: alone", "ST: with all others"}, "share of the variance of ln(" + report.of + ")"};
  for (const std::size_t v : largest_first(report.sobol, [](const auto& index) { return index.total; })) {
    const explore::SobolIndex& index = report.sobol[v];
    chart.rows.push_back(
        {report.variables[v].name, {{index.first, index.first_within, "S1"}, {index.total, index.total_within, "ST"}}});
  }
  return draw_bars(chart);
}

std::string draw_steps(const ExploreReport::Tornado& tornado) {
  EffectChart chart{{}, {"gain: a smaller value", "loss"}, "of " + tornado.of + ", one variable at a time", true};
  for (const std::size_t i : largest_first(tornado.steps, [](const auto& step) { return std::abs(step.gain); })) {
    const ExploreReport::Step& step = tornado.steps[i];
    chart.rows.push_back({step.variable + ": " + step.from + " to " + step.to, {{step.gain, {}, step.variable}}});
  }
  return draw_bars(chart);
}

}  // namespace

bool has_effects(const ExploreReport& report) {
  return !report.morris.empty() || !report.sobol.empty() || (report.tornado && !report.tornado->steps.empty());
}

std::string draw_effects(const ExploreReport& report) {
  std::string text;
  if (!report.morris.empty()) text += draw_morris(report);
  if (!report.sobol.empty()) text += draw_sobol(report);
  if (report.tornado && !report.tornado->steps.empty()) text += draw_steps(*report.tornado);
  return text;
}

}  // namespace tributary::html
