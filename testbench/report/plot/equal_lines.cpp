#include <algorithm>
#include <cmath>
#include <vector>

#include "testbench/report/plot/chart.h"

namespace tributary::plot {
namespace {

constexpr double pixel = 1.0 / 250;  ///< share of the height of a panel

/// Positions of points on the axis y, as a share of its span.
class Heights {
 public:
  Heights(const ChartPanel& panel, const AxisSpec& y) : logarithmic_(y.logarithmic) {
    bool first = true;
    for (const ChartSeries& series : panel.series)
      for (const ChartPoint& p : series.points) {
        if (!has_height(p)) continue;
        low_ = first ? height(p) : std::min(low_, height(p)), high_ = first ? height(p) : std::max(high_, height(p));
        first = false;
      }
    if (y.from_zero && !logarithmic_) low_ = std::min(low_, 0.0);
  }
  bool equal(const ChartPoint& a, const ChartPoint& b) const {
    return has_height(a) && has_height(b) && std::abs(height(a) - height(b)) <= pixel * (high_ - low_);
  }

 private:
  bool has_height(const ChartPoint& p) const { return p.y && (!logarithmic_ || *p.y > 0); }
  double height(const ChartPoint& p) const { return logarithmic_ ? std::log10(*p.y) : *p.y; }

  bool logarithmic_;
  double low_ = 0, high_ = 0;
};

bool is_line(const ChartSeries& series) {
  return series.kind == SeriesKind::line || series.kind == SeriesKind::curve || series.kind == SeriesKind::bound;
}

/// Counts `over` at the points of `line` where both are equal.
void count_over(ChartSeries& line, const ChartSeries& over, const Heights& heights) {
  std::vector<std::size_t> run;  // points of `line`
  const std::size_t all = std::min(line.points.size(), over.points.size());
  const auto end = [&] {
    if (run.size() >= 2 || run.size() == all)
      for (const std::size_t point : run) ++line.points[point].under;
    run.clear();
  };
  for (std::size_t i = 0, j = 0; i < line.points.size() && j < over.points.size();) {
    const ChartPoint &p = line.points[i], &q = over.points[j];
    if (p.x == q.x && heights.equal(p, q))
      run.push_back(i);
    else
      end();
    i += p.x <= q.x ? 1 : 0, j += q.x <= p.x ? 1 : 0;
  }
  end();
}

}  // namespace

void keep_equal_lines_apart(ChartPanel& panel, const AxisSpec& y) {
  const Heights heights(panel, y);
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    ChartSeries& line = panel.series[i];
    for (ChartPoint& p : line.points) p.under = 0;
    for (std::size_t over = i + 1; is_line(line) && over < panel.series.size(); ++over)
      if (is_line(panel.series[over])) count_over(line, panel.series[over], heights);
    for (ChartPoint& p : line.points) p.under = std::min<std::size_t>(p.under, 4);
  }
}

}  // namespace tributary::plot
