#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Distribution of durations: count, sum, minimum and maximum exact; quantiles from log-linear buckets, 64 to an octave,
/// with a relative error of at most 1/128 (0.8 %), exact below 128 ps.
class LatencyHistogram {
 public:
  LatencyHistogram() : buckets_(bucket_of(never) + 1) {}

  void record(Tick value) {
    ++buckets_[bucket_of(value)];
    ++count_;
    sum_ += value;
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
  }
  void reset();

  std::uint64_t count() const { return count_; }
  /// In picoseconds, 0 when empty. The sum is exact as long as it stays below 2^64 ps (213 days).
  double mean() const { return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0; }
  Tick min() const { return count_ ? min_ : 0; }
  Tick max() const { return max_; }
  /// The smallest value that at least a share q (0 to 1) of all values do not exceed, within the relative error; 0 when
  /// empty.
  Tick quantile(double q) const;
  /// Buckets that hold anything: middle of the bucket, values in it; in ascending order.
  std::vector<std::pair<Tick, std::uint64_t>> buckets() const;

 private:
  static constexpr unsigned bits = 6;  // log2 of the buckets to an octave

  // Values below 2^(bits+1) have a bucket each; above, the top bits+1 bits of a value select it.
  static std::size_t bucket_of(Tick value) {
    if (value < (Tick{2} << bits)) return static_cast<std::size_t>(value);
    const unsigned shift = 63u - bits - static_cast<unsigned>(__builtin_clzll(value));
    return (static_cast<std::size_t>(shift) << bits) + static_cast<std::size_t>(value >> shift);
  }
  static Tick middle_of(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0, sum_ = 0;
  Tick min_ = never, max_ = 0;
};

}  // namespace tributary
