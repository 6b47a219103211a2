#pragma once
/// Schedules for messages that have fewer blocks than the schedule has chunks.

#include <cstdint>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Returns the schedule without operations on chunks that are empty for this message size. An operation that waited for a
/// removed one waits for the dependencies of the removed one. Operations of a rank are renumbered. chunk_range() of the
/// result returns the same ranges. The result must be verified anew: removed messages no longer order anything.
Schedule without_empty_chunks(const Schedule& schedule, std::uint64_t message_bytes);

/// Removes any set of empty chunks. Chunks keep their numbers; the goal of an empty chunk names no rank.
Schedule without_chunks(const Schedule& schedule, const std::vector<bool>& empty);

}  // namespace tributary::collective
