#pragma once
/// prove_p2p: the proof of sends and receives from their steps alone.

#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Proves the following properties of sends and receives under any timing, or throws ScheduleError, in one line:
///   - Each step sends local data to a slot of a peer, or stores the data of a slot.
///   - Each semaphore counts steps of one channel of one rank, and no step waits for a value that is never reached.
///   - There is no deadlock: no step waits directly or indirectly for itself.
///   - One channel writes a slot and one reads it, in turn: none is written before its last reader has ended, or read before
///     it is written, and nothing that was written remains unread.
///   - Ranges of memory do not overlap: each byte is sent once at most, and stored once at most.
///   - At the end each rank holds the result of the collective, and nothing else has been stored.
void prove_p2p(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs);

}  // namespace tributary
