#pragma once
/// Proof of the tables that NICs execute (docs/systems/multitree.md#proof).

#include <string>
#include <vector>

#include "modules/nic/core/schedule_entry.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Proves that NICs with these tables end, and then hold what the collective (allreduce, reduce_scatter or allgather)
/// defines, whatever their timing. `tables`: by rank. `nics`: the NIC of each rank. `chunks`: the range of each rank's tree;
/// an empty range has no entries. Throws ScheduleError, one line with the rank, the entry and the reason.
///
/// The proof is by induction over the steps. A rank's entries are ordered by step, and each waits only for entries of other
/// ranks in earlier steps, so none waits for ever. The Reduce of a rank waits for those of all its children, which have no
/// other parent, so it carries each operand of its subtree once. Each rank but the root of a tree sends one Reduce, and
/// parents lead to later steps, so all operands reach the root. The root's Gathers wait for its children's Reduces, and
/// those of other ranks for their parent's. Each rank but the root receives one. The chunk of a rank is overwritten by a
/// Gather, and its Reduce has arrived by then.
void verify_tables(const std::vector<std::vector<ScheduleEntry>>& tables, const std::vector<int>& nics,
                   const std::string& collective, const std::vector<ChunkRange>& chunks);

}  // namespace tributary::collective
