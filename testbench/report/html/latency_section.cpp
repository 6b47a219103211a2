#include "testbench/report/html/latency_section.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "modules/base/text_format.h"
#include "testbench/report/html/page.h"
#include "testbench/report/plot/axis.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

constexpr double bars_foot = 150, bars_height = 140, bars_left = 70, bars_width = 800;
constexpr double ps_in_ns = 1e3;  ///< picoseconds

/// Packets by eighths of an octave of their latency in ps.
using Octaves = std::map<int, double>;

double latency_at(int eighth) { return std::exp2(eighth / 8.0) / ps_in_ns; }

Octaves octaves_of(const std::vector<std::pair<Tick, std::uint64_t>>& buckets) {
  Octaves bars;
  for (const auto& [middle, packets] : buckets)
    bars[static_cast<int>(std::floor(8 * std::log2(std::max(1.0, static_cast<double>(middle)))))] +=
        static_cast<double>(packets);
  return bars;
}

/// Draws bars over round latencies, and the number of packets along y. A histogram has at least an octave.
std::string latency_histogram(const std::string& name, const Octaves& bars) {
  const int first = bars.begin()->first - 4, last = std::max(bars.rbegin()->first + 5, first + 8);
  double most = 0, packets = 0;
  for (const auto& [eighth, n] : bars) most = std::max(most, n), packets += n;
  const double width = std::min(24.0, bars_width / (last - first)), whole = width * (last - first);
  plot::AxisSpec along, up;
  along.logarithmic = true;
  along.low = latency_at(first), along.high = latency_at(last);
  up.low = 0, up.high = most;
  const plot::Axis x(along, {*along.low, *along.high}), y(up, {0, most});
  plot::Svg svg;
  for (const plot::Tick& tick : y.at_round_values(bars_height)) {
    const double at = bars_foot - y.place(tick.value) * bars_height;
    svg.line(bars_left, at, bars_left + whole, at, " class=\"grid\"");
    svg.text(bars_left - 6, at + 3.5, 10, tick.label, plot::Anchor::end);
  }
  for (const auto& [eighth, n] : bars) {
    const double high = std::max(1.0, bars_height * n / most);
    svg.rect(bars_left + width * (eighth - first), bars_foot - high, width - 1, high, " class=\"bar\"",
             fixed(latency_at(eighth), 1) + " to " + fixed(latency_at(eighth + 1), 1) + " ns: " + fixed(n, 0) + " packets");
  }
  svg.line(bars_left, bars_foot, bars_left + whole, bars_foot, " class=\"axis\"");
  for (const plot::Tick& tick : x.at_round_values(whole)) {
    const double at = bars_left + x.place(tick.value) * whole;
    svg.line(at, bars_foot, at, bars_foot + 4, " class=\"axis\"");
    svg.text(at, bars_foot + 16, 10, tick.label, plot::Anchor::middle);
  }
  svg.text(bars_left + whole + 22, bars_foot + 16, 10, "ns");
  svg.text(16, bars_foot - bars_height / 2, 10, "packets", plot::Anchor::middle, true);
  return paragraph(name + ": " + fixed(packets, 0) + " packets by latency from request to delivery (logarithmic)", "soft") +
         svg.element(bars_left + whole + 50, bars_foot + 24, "packet latency: " + name);
}

}  // namespace

std::string latency_section(const ResultRow& row) {
  std::string text;
  for (const auto& [name, buckets] : row.latency_histograms)
    if (!buckets.empty()) text += latency_histogram(name, octaves_of(buckets));
  return text;
}

}  // namespace tributary::html
