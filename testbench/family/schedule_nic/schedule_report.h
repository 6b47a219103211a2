#pragma once
/// ScheduleSummary: the figures of a schedule that `tributary schedule` prints and writes (docs/schedules.md).

#include <string>
#include <vector>

#include "modules/nic/core/schedule_entry.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/link_loads.h"

namespace tributary {

struct ScheduleSummary {
  std::string topology, collective, algorithm;
  int nodes = 0, links = 0;  ///< participants; directed links
  int phases = 0, steps_per_phase = 0;
  bool pipelined = false;
  std::vector<double> utilisation;                 ///< utilisation of the steps of the last phase; empty for a pipeline
  std::vector<int> heights;                        ///< heights of the trees of multitree
  std::vector<std::vector<ScheduleEntry>> tables;  ///< [rank]; only of multitree, if a table can hold the collective
  std::vector<int> entries, nops;                  ///< [rank]
  double ideal_time = 0;                           ///< D/B

  int entries_max() const;            ///< without NOPs
  int entries_max_with_nops() const;  ///< with one NOP in every idle step
};

/// Summarises a proved schedule.
ScheduleSummary summarise(const topology::Network& network, const std::string& collective,
                          const collective::NetworkSchedule& schedule);

std::string screen_text(const ScheduleSummary& summary);
std::string schedule_json(const topology::Network& network, const collective::NetworkSchedule& schedule,
                          const ScheduleSummary& summary);

}  // namespace tributary
