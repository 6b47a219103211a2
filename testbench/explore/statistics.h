#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tributary::explore {

/// Returns Spearman's rank correlation of two lists of equal length, with mean ranks for equal values. Returns nothing for
/// fewer than two values, and if all values of a list are equal.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

/// Returns the ranks of values from 1, equal values with their mean rank.
std::vector<double> ranks_of(const std::vector<double>& values);

/// An interval that holds 95 % of the bootstrap samples of a statistic.
struct Interval {
  double low = 0, high = 0;
};

/// Returns the interval of each statistic over samples of `rows` rows, drawn with repetition. `statistics` computes them
/// from the numbers of the rows in a sample (Efron's percentiles).
std::vector<Interval> bootstrap(std::size_t rows, std::size_t samples, std::uint64_t seed,
                                const std::function<std::vector<double>(const std::vector<std::size_t>&)>& statistics);

}  // namespace tributary::explore
