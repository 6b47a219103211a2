#pragma once
/// Proves stream programs from themselves alone (docs/systems/blink.md#proofs).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Of the programs of a job's ranks, peers named as JobSpec::ranks names them, or throws ScheduleError, one line with GPU,
/// command and reason:
///   - every command names a stream, semaphore, peer and memory that are there;
///   - no deadlock: no command waits, however indirectly, for itself, the order of hardware queues included; no wait for
///   more
///     than is recorded; what a semaphore counts comes from one stream, so that its value tells what has happened;
///   - no race: of two accesses to the same memory, of which one writes, one ends before the other begins;
///   - nothing arrives at a GPU all of whose commands may have ended;
///   - at the end the ranks hold what the collective defines: every operand once, of the right elements.
/// All under any interleaving: on queue order, and records before their waits. A copy has arrived when a later record of its
/// stream to the same peer by the same path has.
/// Ranges of memory that commands use must be the same or apart. No channels.
void prove_streams(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs,
                   const std::vector<std::uint64_t>& memory, unsigned queues);

}  // namespace tributary
