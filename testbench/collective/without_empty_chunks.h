#pragma once
/// Schedules for messages of fewer blocks than chunks.

#include <cstdint>

#include "testbench/collective/schedule.h"

namespace tributary::collective {

/// The schedule without the operations on chunks that are empty in a message of this size; what waited for one of them waits
/// for what that waited for. chunk_range() of the result gives the same ranges. The result is to be verified anew: messages
/// that are gone no longer order anything.
Schedule without_empty_chunks(const Schedule& schedule, std::uint64_t message_bytes);

}  // namespace tributary::collective
