#pragma once
/// prove_channels: the proof of channels from their steps alone.

#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Proves the following properties of the channels of all ranks under any timing, or throws ScheduleError, in one line. The
/// groups of a thread block run at once, and order each other by semaphores alone:
///   - Each semaphore counts steps of one channel of one rank, and no step waits for a value that is never reached.
///   - There is no deadlock: no step waits directly or indirectly for itself.
///   - No slot is written before its last reader has ended or read before it is written. No two steps race for local data.
///   - Address ranges in memory do not overlap, and steps of different thread blocks use different ranges.
///   - At the end each rank holds the result of the collective, with each operand exactly once.
void prove_channels(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs);

}  // namespace tributary
