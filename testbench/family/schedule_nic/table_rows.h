#pragma once
/// Rows of schedule tables for what a baseline sends (Huang et al., ISCA 2021, V-A; docs/systems/multitree.md#commands).

#include <cstdint>
#include <vector>

#include "modules/nic/core/nic_core.h"
#include "testbench/collective/schedule/fused.h"

namespace tributary {

/// [rank][command] the step in which it sends, from 1.
using StepsOfCommands = std::vector<std::vector<std::uint16_t>>;

/// Those that the algorithm names.
StepsOfCommands steps_of_algorithm(const collective::FusedProgram& program);
/// Where it names none: a send comes a step after what it waits for, be it the send before it or a chunk of an earlier step.
/// Throws ScheduleError when there are more than an entry can hold.
StepsOfCommands steps_of_pipeline(const collective::FusedProgram& program);

/// Gives each of a rank's commands that sends a row: several that send one chunk in one step share one. Rows are ordered by
/// goes_before(), and in a step after the rows that they wait for. `nics`: of each rank.
void add_table_rows(const collective::FusedProgram& program, int rank, const std::vector<std::uint16_t>& steps,
                    const std::vector<int>& nics, NicProgram& nic);

}  // namespace tributary
