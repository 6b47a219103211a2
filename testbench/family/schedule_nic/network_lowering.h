#pragma once
/// Collectives on networks of NICs: schedule tables for MultiTree, commands for everything else.

#include <vector>

#include "modules/nic/core/nic_core.h"
#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/run/run_spec.h"

namespace tributary {

struct LoweredNetwork {
  std::vector<NicProgram> work;    ///< [rank]
  std::uint64_t memory_bytes = 0;  ///< that each rank's NIC needs
};

/// Throws ScheduleError or SetupError when the network cannot carry a job by its method, or the NICs' tables are too small.
/// `params` without automatic values.
void check_network_method(const JobSpec& job, const topology::Network& network, const NetworkParams& params);
/// The schedule of a job, proved. Throws ScheduleError.
collective::NetworkSchedule proved_schedule(const JobSpec& job, const topology::Network& network, int tree_chunks);

/// `schedule` as proved_schedule() gives it. Throws ScheduleError.
LoweredNetwork lower_network(const JobSpec& job, Bytes message, const collective::NetworkSchedule& schedule,
                             const ScheduleNicPlatform& system);

}  // namespace tributary
