#pragma once
/// What a schedule puts on the links of a network, step by step: utilisation, contention and the ideal time.

#include <vector>

#include "testbench/collective/algorithm/network_schedule.h"

namespace tributary::collective {

struct StepLoad {
  int step = 0;        ///< Operation::step
  int links_used = 0;  ///< directed links
  int flows = 0;       ///< most senders with different receivers that share one link
  double busiest = 0;  ///< of one link, as a share of the message; of links of unequal bandwidth, in the time of an X link
};

struct LinkLoads {
  std::vector<StepLoad> steps;  ///< ascending
  int links = 0;                ///< directed links; of MultiTree those that its trees may use
  double busiest = 0;           ///< of one link over all steps, as a share of the message

  double utilisation(const StepLoad& s) const { return static_cast<double>(s.links_used) / links; }
};

/// Each send takes the links of its tree edge, or else the way of PacketRoutes. The message is what a rank holds, gathers or
/// sends to all others.
LinkLoads link_loads(const topology::Network& network, const NetworkSchedule& schedule);

/// In units of D/B (message size / rate of one link), latency and headers left out: steps follow each other, each as long as
/// its busiest link; of a pipeline, the busiest link alone.
double ideal_time(const NetworkSchedule& schedule, const LinkLoads& loads);

}  // namespace tributary::collective
