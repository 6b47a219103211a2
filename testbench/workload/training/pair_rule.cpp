#include "testbench/workload/training/pair_rule.h"

#include <algorithm>

namespace tributary::training {

PairSpeeds pair_speeds(const PairTimes& times) {
  constexpr double least = 1e-3;
  const Tick common_end = std::min(times.first_ended, times.second_ended);
  if (common_end <= times.begin) return {};
  const auto both = static_cast<double>(common_end - times.begin);
  const auto speed = [&](Tick alone, Tick ended, Tick before) {
    const auto rest = static_cast<double>(ended - common_end + before);
    return std::clamp((static_cast<double>(alone) - rest) / both, least, 1.0);
  };
  return {speed(times.first_alone, times.first_ended, times.begin), speed(times.second_alone, times.second_ended, 0)};
}

}  // namespace tributary::training
