#pragma once
/// Which chunks a collective over weighted trees has, and the way of each (packed_schedule.h).

#include "testbench/collective/packing/packed_schedule.h"

namespace tributary::collective {

/// Routes and chunks of the request; the schedule is still empty. Throws as packed_schedule().
PackedSchedule routed_chunks(const TreeRequest& request);

}  // namespace tributary::collective
