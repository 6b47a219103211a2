#include "testbench/collective/packing/chunk_tuner.h"

#include <algorithm>
#include <stdexcept>

namespace tributary::collective {

ChunkTuner::ChunkTuner(std::uint64_t first, std::uint64_t most, std::uint64_t least)
    : first_(first), most_(std::max(first, most)), least_(std::min(first, least)), chunk_(first), best_(first) {
  if (first == 0) throw std::invalid_argument("chunks of 0 B (legal: at least 1 B)");
}

ChunkTuner ChunkTuner::of_messages(std::uint64_t message_bytes) {
  constexpr std::uint64_t most_chunks = 4000;
  return ChunkTuner(standard_first, message_bytes, std::max(standard_least, message_bytes / most_chunks));
}

void ChunkTuner::measured(double rate) {
  if (phase_ == Phase::steady) return;
  const bool rises = rate > last_, falls = rate < last_;
  if (rate > best_rate_) best_rate_ = rate, best_ = chunk_;
  last_ = rate;
  if (!next(rises, falls)) phase_ = Phase::steady, chunk_ = best_;
}

bool ChunkTuner::next(bool rises, bool falls) {
  if (phase_ == Phase::grows) {
    if (rises && chunk_ < most_) {
      chunk_ = std::min(2 * chunk_, most_);
      return true;
    }
    if (best_ == first_) {
      phase_ = Phase::halves, chunk_ = first_, last_ = best_rate_;
      falls = false;
    } else {
      phase_ = Phase::shrinks;
      rises = !rises;  // growth to the largest size was the best
    }
  }
  if (phase_ == Phase::shrinks) {
    if (!rises || chunk_ <= first_) return false;
    chunk_ = std::max(chunk_ - first_, first_);
    return true;
  }
  if (falls || chunk_ <= least_) return false;
  chunk_ = std::max(chunk_ / 2, least_);
  return true;
}

}  // namespace tributary::collective
