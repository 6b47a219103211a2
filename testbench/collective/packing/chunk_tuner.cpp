#include "testbench/collective/packing/chunk_tuner.h"

#include <algorithm>
#include <stdexcept>

namespace tributary::collective {

ChunkTuner::ChunkTuner(std::uint64_t first, std::uint64_t most)
    : first_(first), most_(std::max(first, most)), chunk_(first), best_(first) {
  if (first == 0) throw std::invalid_argument("chunks of 0 B (legal: at least 1 B)");
}

void ChunkTuner::measured(double rate) {
  if (phase_ == Phase::steady) return;
  const bool rises = rate > last_;
  if (rate > best_rate_) best_rate_ = rate, best_ = chunk_;
  last_ = rate;
  if (phase_ == Phase::grows && rises && chunk_ < most_) {
    chunk_ = std::min(2 * chunk_, most_);
  } else if ((phase_ == Phase::grows) != rises && chunk_ > first_) {  // no faster for the first time, or faster again
    phase_ = Phase::shrinks;
    chunk_ = std::max(chunk_ - first_, first_);
  } else {
    phase_ = Phase::steady;
    chunk_ = best_;
  }
}

}  // namespace tributary::collective
