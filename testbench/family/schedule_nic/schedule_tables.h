#pragma once
/// Schedule tables of NICs that execute trees with time steps (docs/systems/multitree.md#schedule-tables).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/nic/core/schedule_entry.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/step_trees.h"

namespace tributary::collective {

/// NOPs hold back a NIC that has nothing to send in a step.
enum class NopRule { every_idle_step, between_operations, none };

/// Throws ScheduleError on a chunk that neither a table entry nor a command of a NIC can address.
void check_nic_chunk(std::uint64_t address, std::uint64_t bytes);

/// Orders entries by step; in a step, entries that wait for no other node come first (Huang et al., Figure 5), then by tree.
bool goes_before(const ScheduleEntry& a, const ScheduleEntry& b);

/// Returns the entries of each rank, ordered by goes_before(): one Reduce for each tree of which the node is not the root;
/// one Gather for each tree and step in which the node serves children, up to 4 of them; and a NOP, with neither tree nor
/// parent and with the bytes of the longest chunk, for each step that the rule names. Steps count from 1: reduce-scatter 1
/// to S, then all-gather (from 1 without a reduce-scatter). FlowID, parent and children are numbers of NICs (Node::index);
/// FlowID is the number of the root. `fan`: number of children that an entry names, 1 to 4. A Reduce names up to `fan`
/// children. If a node has more (BiGraph), its Gathers name them all; in a reduce_scatter, which has no Gathers, NOPs of the
/// same step with the FlowID name the others. `chunks`: ranges of the message of each rank's tree; trees of empty ranges are
/// left out. Throws ScheduleError on a collective other than allreduce, reduce_scatter and allgather, and on values that the
/// fields of an entry cannot hold.
std::vector<std::vector<ScheduleEntry>> schedule_tables(const StepTrees& trees, const topology::Graph& graph,
                                                        const std::string& collective, const std::vector<ChunkRange>& chunks,
                                                        NopRule nops = NopRule::every_idle_step, int fan = 4);

/// Messages that a NIC receives: one Reduce per child and tree, one Gather per tree.
struct Arrivals {
  std::uint32_t reduces = 0, gathers = 0;
};
/// Returns the arrivals of each rank, counted from all tables. `nics`: the NIC of each rank.
std::vector<Arrivals> arrivals_of(const std::vector<std::vector<ScheduleEntry>>& tables, const std::vector<int>& nics);

/// Returns the chunks of an all-reduce, one for each rank.
std::vector<ChunkRange> even_chunks(int ranks, std::uint64_t message_bytes);

}  // namespace tributary::collective
