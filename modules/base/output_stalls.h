#pragma once
/// OutputStalls: clocks in which the answers of a block in RTL are not accepted, to verify its flow control.

#include <cstdint>

#include "modules/base/random.h"

namespace tributary {

/// The clocks depend on nothing but their number, so a block that returns to an earlier state meets the same ones.
struct OutputStalls {
  static constexpr unsigned most_percent = 95;

  unsigned percent = 0;
  std::uint64_t seed = 1;

  bool at(std::uint64_t channel, std::uint64_t edge) const {
    return percent != 0 && below(random_at(seed, channel, edge), 100) < percent;
  }
};

/// A module whose block has such clocks.
class StallableBlock {
 public:
  virtual void stall(const OutputStalls& stalls) = 0;

 protected:
  ~StallableBlock() = default;
};

}  // namespace tributary
