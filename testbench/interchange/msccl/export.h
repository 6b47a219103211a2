#pragma once
/// Schedules as MSCCL algorithms.

#include <string>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Each rank gets a thread block for each peer that it sends to, and one for each peer that it receives from, on further
/// channels where messages are taken in another order than they are sent in; operations go there in an order of execution.
/// In place, but for an all-to-all. The result is proved (proof.h), and gives the same file again when it is imported and
/// exported. Throws ScheduleError, one line: a collective that MSCCL does not have, chunks that are not its collective's,
/// more than can be proved.
Algorithm export_schedule(const collective::Schedule& schedule, const std::string& collective);

}  // namespace tributary::msccl
