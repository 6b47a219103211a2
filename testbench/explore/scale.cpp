#include "testbench/explore/scale.h"

#include <algorithm>
#include <cmath>

namespace tributary::explore {

Scale::Scale(const std::vector<double>& values) {
  const auto all = [&](auto holds) { return !values.empty() && std::all_of(values.begin(), values.end(), holds); };
  if (all([](double x) { return x > 0; })) kind_ = Kind::positive;
  if (all([](double x) { return x < 0; })) kind_ = Kind::negative;
}

double Scale::operator()(double x) const {
  return kind_ == Kind::positive ? std::log(x) : kind_ == Kind::negative ? -std::log(-x) : x;
}

std::vector<Scale> scales_of(const std::vector<Score>& scores) {
  std::vector<std::vector<double>> values;
  for (const Score& score : scores) {
    if (!score.is_feasible()) continue;
    values.resize(score.objectives.size());
    for (std::size_t m = 0; m < values.size(); ++m) values[m].push_back(score.objectives[m]);
  }
  return {values.begin(), values.end()};
}

}  // namespace tributary::explore
