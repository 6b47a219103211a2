#pragma once
/// Link loads of a schedule, step by step: utilisation, contention and ideal time.

#include <vector>

#include "testbench/collective/algorithm/network_schedule.h"

namespace tributary::collective {

struct StepLoad {
  int step = 0;        ///< Operation::step
  int links_used = 0;  ///< directed links
  int flows = 0;       ///< largest number of (sender, receiver) pairs on one link
  double busiest = 0;  ///< load of the busiest link as a fraction of the message, scaled to the bandwidth of an X link
};

struct LinkLoads {
  std::vector<StepLoad> steps;  ///< ascending
  int links = 0;                ///< directed links; for MultiTree, those that its trees may use
  double busiest = 0;           ///< load of the busiest link over all steps, as a fraction of the message

  double utilisation(const StepLoad& s) const { return static_cast<double>(s.links_used) / links; }
};

/// A send uses the links of its tree edge if the schedule has trees, else the path of PacketRoutes. The message is the data
/// that a rank holds, gathers, or sends to all others.
LinkLoads link_loads(const topology::Network& network, const NetworkSchedule& schedule);

/// Ideal time in units of D/B (message size / rate of one link), without latency and headers: the sum over the steps of the
/// load of their busiest link; for a pipeline, the load of the busiest link over all steps.
double ideal_time(const NetworkSchedule& schedule, const LinkLoads& loads);

}  // namespace tributary::collective
