#pragma once
/// Schedules as MSCCL algorithms.

#include <string>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Each rank has a thread block for each peer that it sends to, and one for each peer that it receives from. Messages that
/// are used in another order than they are sent go to further channels. A thread block holds its operations in an order of
/// execution. The algorithm works in place, except for an all-to-all. It is proved (proof.h), and importing and exporting it
/// gives the same file. Throws ScheduleError, one line: MSCCL does not have the collective, the chunks are not those of the
/// collective, or the proof would be too large.
Algorithm export_schedule(const collective::Schedule& schedule, const std::string& collective);

}  // namespace tributary::msccl
