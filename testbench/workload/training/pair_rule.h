#pragma once
/// PairRule: how two transfers that are in flight at once slow each other.

#include <optional>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

class PairRule {
 public:
  virtual ~PairRule() = default;
  /// Returns the speed of a transfer while another one is in flight that uses the same ranks or links: above 0, at most 1,
  /// and 1 is as fast as alone. None: unknown, and the transfer shares by the rule of simultaneous transfers.
  virtual std::optional<double> speed(const Task& own, const Task& other) = 0;
};

/// Returns the speed of a transfer among others, each of which alone gives it one of these speeds. Each adds its delay for
/// the same work: 1 / (1 + sum of 1/speed - 1). So n equal transfers of one link have 1/n each.
template <class Speeds>
double speed_among(const Speeds& speeds) {
  double delay = 0;
  for (const double speed : speeds) delay += 1 / speed - 1;
  return 1 / (1 + delay);
}

/// Speeds of two transfers while both are in flight.
struct PairSpeeds {
  double first = 1, second = 1;
};

/// Times of two transfers of one run, of which the second begins `begin` after the first.
struct PairTimes {
  Tick first_alone = 0, second_alone = 0;  ///< durations, each in a run of its own
  Tick begin = 0;
  Tick first_ended = 0, second_ended = 0;  ///< after the begin of the first
};

/// Returns the speeds of both while both are in flight. Before and after, the other one is alone.
PairSpeeds pair_speeds(const PairTimes& times);

}  // namespace tributary::training
