#pragma once
/// Trees as streams of commands of GPUs with copy engines (docs/systems/blink.md#codegen).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/collective/packing/packed_schedule.h"
#include "testbench/workload/job.h"

namespace tributary {

/// A tree whose copies take one way; edges between servers take the network.
struct StreamTree {
  collective::WeightedTree tree;
  CopyPath path = CopyPath::nvlink;
};
std::vector<StreamTree> on_path(std::vector<collective::WeightedTree> trees, CopyPath path);

struct StreamOptions {
  Bytes chunk = bytes(1'000'000);   ///< largest chunk; in whole blocks, at least one
  unsigned fan_in = 4;              ///< mailboxes that one kernel adds: 1 to StreamCommand::max_inputs
  bool own_kernel_streams = false;  ///< kernels in streams of their own, beside those of the copies
  bool sequential_phases = false;   ///< of an all-reduce: a tree's chunks go down when all of them have come up
  bool reuse = true;     ///< edges of different trees over one pair at one depth share a stream (Wang et al., Fig. 12)
  unsigned queues = 32;  ///< hardware queues of a GPU: stream s lies on queue s modulo queues
  std::vector<int> server_of = {};  ///< of each rank; empty: one server. Copies between servers go by the network
  bool from_roots = false;          ///< of messages in parts: a rank's goes along the trees alone whose root it is
  /// Rank r begins with the peer behind its own number, where else all would send to the same one: for ranks that a switch
  /// joins. Only if each stream has a hardware queue of its own.
  bool staggered = false;
};

/// What every rank of a job has to do.
struct StreamPlan {
  std::vector<StreamProgram> programs;  ///< [rank]; peers are endpoints (JobSpec::ranks)
  std::vector<std::uint64_t> memory;    ///< [rank] bytes: the buffer of the collective, then mailboxes
  collective::PackedSchedule schedule;  ///< what it was made from
};

/// Proves the schedule, and anew what it becomes (stream_proof.h). Throws ScheduleError: trees that do not fit the job, or
/// what cannot be proved.
///
/// A stream is a tree's edge in one direction. Down it: wait for the chunk, copy it to its place at the child, record. Up:
/// wait for the children, add their mailboxes (of full size, behind the buffer), copy the sum to the parent's mailbox,
/// record. A root adds in a stream of its own and records for its streams down. Where no command of a rank needs its last
/// chunks, it waits for them at the end, so that all its commands end no earlier than its data are there. Commands come in
/// the order of issue: chunk by chunk over all trees. With trees on NVLink and on PCIe, these begin with a `peer_switch`.
StreamPlan plan_streams(const JobSpec& job, Bytes message, const std::vector<StreamTree>& trees, collective::TreeUse use,
                        const StreamOptions& options);

}  // namespace tributary
