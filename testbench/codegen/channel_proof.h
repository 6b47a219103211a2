#pragma once
/// The proof of what channels carry out, from their steps alone.

#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Proves of the channels of all ranks, or throws ScheduleError, one line:
///   - each semaphore counts what one channel of one rank does, and no step waits for more than will be counted;
///   - no deadlock: no step waits, however indirectly, for itself;
///   - no slot is written before its last reader has ended, nor read before it is written; no two steps race for own data;
///   - places in memory do not overlap, and steps of different channels have none in common;
///   - at the end each rank holds what the collective says: the operands of these ranks, each exactly once.
/// All of it holds under any timing.
void prove_channels(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs);

}  // namespace tributary
