#pragma once
/// Lowers collectives on networks of NICs: schedule tables for MultiTree, commands for all other algorithms.

#include <optional>
#include <vector>

#include "modules/nic/core/nic_core.h"
#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/run/run_spec.h"

namespace tributary {

struct LoweredNetwork {
  std::vector<NicProgram> work;    ///< [rank]
  std::uint64_t memory_bytes = 0;  ///< memory that each rank's NIC needs
};

/// Throws ScheduleError or SetupError if the network cannot execute a job by its algorithm, or if the NICs' tables are too
/// small. `params`: without automatic values.
void check_network_algorithm(const JobSpec& job, const topology::Network& network, const NetworkParams& params);
/// Returns the number of segments of the job's pipeline; 2 for algorithms without one. Throws SetupError if a number that
/// the user has set makes the schedule too large to be proved.
int pipeline_segments(const JobSpec& job, Bytes message, const NetworkParams& params);
/// Refuses work that a NIC's table cannot hold, before anything runs. Throws SetupError or std::invalid_argument.
void check_tables(const JobSpec& job, const LoweredNetwork& lowered, const NetworkParams& params);
/// Returns the proved schedule of a job. Trees that NICs hold in their tables are proved without programs, which the
/// schedule does not have then: lower_network() proves the tables. Throws ScheduleError.
collective::NetworkSchedule proved_schedule(const JobSpec& job, const topology::Network& network, int tree_chunks);
/// Returns the schedule of a job without its programs, not proved; nothing if its algorithm cannot make them one rank at a
/// time. Throws ScheduleError.
std::optional<collective::NetworkSchedule> outline_of(const JobSpec& job, const topology::Network& network);

/// Lowers a schedule of proved_schedule(), and proves its tables. Throws ScheduleError.
LoweredNetwork lower_network(const JobSpec& job, Bytes message, const collective::NetworkSchedule& schedule,
                             const ScheduleNicPlatform& system);

}  // namespace tributary
