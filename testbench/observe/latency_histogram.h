#pragma once
/// LatencyHistogram: a distribution of durations with bounded relative error.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/host/byte_stream.h"
#include "modules/base/units.h"

namespace tributary {

/// Count, sum, minimum and maximum are exact. Quantiles come from log-linear buckets, 64 per octave, with a relative
/// error of at most 1/128 (0.8 %), and are exact below 128 ps.
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
  /// Adds all values of another histogram.
  void add(const LatencyHistogram& other);
  void pack(ByteWriter& to) const;
  /// Returns the histogram that pack() has written.
  static LatencyHistogram unpack(ByteReader& from);

  std::uint64_t count() const { return count_; }
  /// In picoseconds, 0 if empty. The sum is exact below 2^64 ps (213 days).
  double mean() const { return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0; }
  Tick min() const { return count_ ? min_ : 0; }
  Tick max() const { return max_; }
  /// Returns the smallest value that a fraction q (0 to 1) of all values does not exceed, within the relative error; 0
  /// if empty.
  Tick quantile(double q) const;
  /// Returns the non-empty buckets in ascending order: middle of the bucket, number of values.
  std::vector<std::pair<Tick, std::uint64_t>> buckets() const;

 private:
  static constexpr unsigned bits = 6;  // log2 of the buckets per octave

  // Values below 2^(bits+1) have one bucket each; for larger values, the top bits+1 bits select the bucket.
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
