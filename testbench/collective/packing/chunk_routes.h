#pragma once
/// routed_chunks: the chunks of a collective over weighted trees, and the route of each (packed_schedule.h).

#include "testbench/collective/packing/packed_schedule.h"

namespace tributary::collective {

/// Returns the routes and chunks of the request with an empty schedule. Throws as packed_schedule() does.
PackedSchedule routed_chunks(const TreeRequest& request);

}  // namespace tributary::collective
