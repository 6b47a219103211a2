#pragma once
/// prove_streams: the proof of stream programs from their commands alone (docs/systems/blink.md#proofs).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Proves the following properties of the programs of a job's ranks under any interleaving, or throws ScheduleError, in one
/// line with GPU, command and reason. Peers are numbered as in JobSpec::ranks.
///   - The stream, semaphore, peer and memory of every command exist.
///   - There is no deadlock: no command waits directly or indirectly for itself, also by the order of hardware queues. No
///     wait needs more records than there are. One stream makes all records of a semaphore, so that its value identifies an
///     event.
///   - There is no race: if one of two accesses to the same memory is a write, one ends before the other begins.
///   - Nothing arrives at a GPU after all its commands have ended.
///   - At the end the ranks hold the result of the collective: every operand once, of the right elements.
/// Interleavings are constrained only by the order of queues and by records, which precede their waits. A copy has arrived
/// when a later record of its stream to the same peer over the same path has arrived. Memory ranges of commands must be
/// equal or disjoint. Channels are not supported.
void prove_streams(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs,
                   const std::vector<std::uint64_t>& memory, unsigned queues);

}  // namespace tributary
