#pragma once
/// StageProgress: blocks of one stage that are visible at this GPU, each exactly once.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/gpu/core/gpu_program.h"

namespace tributary {

class StageProgress {
 public:
  explicit StageProgress(const DmaStage& stage) : remaining_(stage.arrivals), seen_((stage.message.blocks() + 63) / 64) {}

  /// Throws std::logic_error if a block arrives twice.
  void arrived(std::uint64_t block, Tick when) {
    const std::uint64_t bit = std::uint64_t{1} << (block % 64);
    if ((seen_[block / 64] & bit) != 0 || remaining_ == 0)
      throw std::logic_error("block " + std::to_string(block) + " of a result arrived twice");
    seen_[block / 64] |= bit;
    --remaining_;
    last_ = std::max(last_, when);
  }
  bool over() const { return remaining_ == 0; }
  Tick last() const { return last_; }
  std::uint64_t remaining() const { return remaining_; }

 private:
  std::uint64_t remaining_;
  std::vector<std::uint64_t> seen_;
  Tick last_ = 0;
};

}  // namespace tributary
