#pragma once
/// Rows of schedule tables for the sends of baseline algorithms (Huang et al., ISCA 2021, V-A;
/// docs/systems/multitree.md#commands).

#include <cstdint>
#include <vector>

#include "modules/nic/core/nic_core.h"
#include "testbench/collective/schedule/fused.h"

namespace tributary {

/// [rank][command] the step in which it sends, from 1.
using StepsOfCommands = std::vector<std::vector<std::uint16_t>>;

/// Returns the steps that the algorithm defines.
StepsOfCommands steps_of_algorithm(const collective::FusedProgram& program);
/// Returns the steps of an algorithm that defines none: a send follows one step after all that it waits for, both the
/// previous send and chunks of an earlier step. Throws ScheduleError if there are more steps than an entry can hold.
StepsOfCommands steps_of_pipeline(const collective::FusedProgram& program);

/// Adds a row for each command of a rank that sends; sends of one chunk in one step share a row. Rows are ordered by
/// goes_before(), and within a step after the rows that they wait for. `nics`: the NIC of each rank.
void add_table_rows(const collective::FusedProgram& program, int rank, const std::vector<std::uint16_t>& steps,
                    const std::vector<int>& nics, NicProgram& nic);

}  // namespace tributary
