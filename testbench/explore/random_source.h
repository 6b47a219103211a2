#pragma once
/// RandomSource: the random numbers of one generation, in the order of their use.

#include <cstdint>

#include "modules/base/random.h"

namespace tributary::explore {

class RandomSource {
 public:
  RandomSource(std::uint64_t seed, std::uint64_t generation) : seed_(seed), generation_(generation) {}

  std::uint64_t next() { return random_at(seed_, generation_, counter_++); }
  /// Returns a number from 0 to `bound` - 1.
  std::uint64_t less_than(std::uint64_t bound) { return below(next(), bound); }
  /// Returns a number from 0 to 1, without 1.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Returns a normal number, as the sum of 12 uniform ones, so that no library of mathematics affects a search.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t seed_, generation_, counter_ = 0;
};

}  // namespace tributary::explore
