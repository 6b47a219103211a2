#pragma once
/// Schedules for messages of fewer blocks than chunks.

#include <cstdint>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// The schedule without the operations on chunks that are empty in a message of this size; what waited for one of them waits
/// for what that waited for. Operations of a rank are counted anew. chunk_range() of the result gives the same ranges. The
/// result is to be verified anew: messages that are gone no longer order anything.
Schedule without_empty_chunks(const Schedule& schedule, std::uint64_t message_bytes);

/// The same for any set of empty chunks. Chunks keep their numbers; the flow of an empty one ends nowhere.
Schedule without_chunks(const Schedule& schedule, const std::vector<bool>& empty);

}  // namespace tributary::collective
