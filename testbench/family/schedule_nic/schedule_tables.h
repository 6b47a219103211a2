#pragma once
/// The tables of NICs that carry out trees with time steps (docs/systems/multitree.md#schedule-tables).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/nic/core/schedule_entry.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/step_trees.h"

namespace tributary::collective {

/// NOPs hold a NIC back that has nothing to send in a step.
enum class NopRule { every_idle_step, between_operations, none };

/// Throws ScheduleError on a chunk that neither a table entry nor a command of a NIC can name.
void check_nic_chunk(std::uint64_t address, std::uint64_t bytes);

/// By step; in a step, entries that wait for no other node come first (Huang et al., Figure 5), then by flow.
bool goes_before(const ScheduleEntry& a, const ScheduleEntry& b);

/// Entries of each rank, ordered by goes_before(). One Reduce for each tree whose root the node is not; one Gather for each
/// tree and step in which the node serves children, up to 4 of them; a NOP, which has neither flow nor parent and the bytes
/// of the longest chunk, for each step that the rule names. Steps count from 1: reduce-scatter 1 to S, then all-gather (from
/// 1 where it stands alone). FlowID, parent and children are numbers of NICs (Node::index); the flow is the root's.
///
/// `fan`: children that an entry names, 1 to 4. A Reduce names so many. Where a node has more (BiGraph), its Gathers name
/// them all; in a reduce_scatter, which has none, NOPs of the same step with the flow name the others.
///
/// `chunks` are the ranges of the message of each rank's tree; trees of empty ones are left out. Throws ScheduleError on a
/// collective other than allreduce, reduce_scatter and allgather, and on what the fields of an entry cannot hold.
std::vector<std::vector<ScheduleEntry>> schedule_tables(const StepTrees& trees, const topology::Graph& graph,
                                                        const std::string& collective, const std::vector<ChunkRange>& chunks,
                                                        NopRule nops = NopRule::every_idle_step, int fan = 4);

/// What a NIC is sent: a Reduce per child and flow, a Gather per flow.
struct Arrivals {
  std::uint32_t reduces = 0, gathers = 0;
};
/// Of each rank, counted from the tables of all. `nics`: the NIC of each rank.
std::vector<Arrivals> arrivals_of(const std::vector<std::vector<ScheduleEntry>>& tables, const std::vector<int>& nics);

/// The chunks of a whole message, one for each rank, of an all-reduce.
std::vector<ChunkRange> even_chunks(int ranks, std::uint64_t message_bytes);

}  // namespace tributary::collective
