#include "testbench/observe/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace tributary {

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_, sum_ += other.sum_;
  min_ = std::min(min_, other.min_), max_ = std::max(max_, other.max_);
}

void LatencyHistogram::reset() {
  std::fill(buckets_.begin(), buckets_.end(), 0);
  count_ = sum_ = max_ = 0;
  min_ = never;
}

Tick LatencyHistogram::middle_of(std::size_t bucket) {
  if (bucket < (std::size_t{2} << bits)) return bucket;
  const std::size_t shift = (bucket >> bits) - 1;
  const Tick mantissa = bucket - (shift << bits);
  return (mantissa << shift) + (Tick{1} << shift) / 2;
}

std::vector<std::pair<Tick, std::uint64_t>> LatencyHistogram::buckets() const {
  std::vector<std::pair<Tick, std::uint64_t>> filled;
  for (std::size_t b = 0; b < buckets_.size(); ++b)
    if (buckets_[b] != 0) filled.emplace_back(middle_of(b), buckets_[b]);
  return filled;
}

// Most buckets are empty.
void LatencyHistogram::pack(ByteWriter& to) const {
  to.put(count_), to.put(sum_), to.put(min_), to.put(max_);
  for (std::size_t b = 0; b < buckets_.size(); ++b)
    if (buckets_[b] != 0) to.put(static_cast<std::uint64_t>(b)), to.put(buckets_[b]);
  to.put(static_cast<std::uint64_t>(buckets_.size()));
}

LatencyHistogram LatencyHistogram::unpack(ByteReader& from) {
  LatencyHistogram all;
  all.count_ = from.get<std::uint64_t>(), all.sum_ = from.get<std::uint64_t>();
  all.min_ = from.get<Tick>(), all.max_ = from.get<Tick>();
  for (auto b = from.get<std::uint64_t>(); b != all.buckets_.size(); b = from.get<std::uint64_t>())
    all.buckets_.at(b) = from.get<std::uint64_t>();
  return all;
}

Tick LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return 0;
  const double share = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
  const std::uint64_t wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < buckets_.size(); ++b)
    if ((seen += buckets_[b]) >= wanted) return std::clamp(middle_of(b), min_, max_);
  return max_;
}

}  // namespace tributary
