#include "testbench/explore/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "testbench/explore/random_source.h"

namespace tributary::explore {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, end; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && values[order[end]] == values[order[first]];) ++end;
    const double mean = static_cast<double>(first + 1 + end) / 2;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = (static_cast<double>(x.size()) + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::vector<Interval> bootstrap(std::size_t rows, std::size_t samples, std::uint64_t seed,
                                const std::function<std::vector<double>(const std::vector<std::size_t>&)>& statistics) {
  std::vector<std::vector<double>> found;  // by statistic
  std::vector<std::size_t> sample(rows);
  for (std::size_t s = 0; s < samples; ++s) {
    RandomSource random(seed, s);
    for (std::size_t& row : sample) row = random.less_than(rows);
    const std::vector<double> values = statistics(sample);
    found.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) found[i].push_back(values[i]);
  }
  std::vector<Interval> intervals;
  for (std::vector<double>& values : found) {
    std::sort(values.begin(), values.end());
    const std::size_t outside = samples / 40;  // 2.5 % at each end
    intervals.push_back({values[outside], values[samples - 1 - outside]});
  }
  return intervals;
}

}  // namespace tributary::explore
