#pragma once
/// plan_streams: trees as streams of commands of GPUs with copy engines (docs/systems/blink.md#codegen).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/collective/packing/packed_schedule.h"
#include "testbench/workload/job.h"

namespace tributary {

/// A tree whose copies all cross `path`, except those between servers, which cross the network, and those between islands of
/// NVLinks, which cross PCIe.
struct StreamTree {
  collective::WeightedTree tree;
  CopyPath path = CopyPath::nvlink;
};
std::vector<StreamTree> on_path(std::vector<collective::WeightedTree> trees, CopyPath path);

struct StreamOptions {
  Bytes chunk = bytes(1'000'000);   ///< largest chunk; in whole blocks, at least one
  unsigned fan_in = 4;              ///< mailboxes that one kernel adds: 1 to StreamCommand::max_inputs
  bool own_kernel_streams = false;  ///< kernels have separate streams
  bool sequential_phases = false;   ///< an all-reduce broadcasts a tree's chunks after all of them have been reduced
  bool reuse = true;     ///< edges of different trees over one pair at one depth share a stream (Wang et al., Fig. 12)
  unsigned queues = 32;  ///< hardware queues of a GPU: stream s uses queue s modulo queues
  std::vector<int> server_of = {};  ///< server of each rank; empty if there is one. Copies between servers cross the network
  std::vector<int> island_of =
      {};                   ///< island of each rank in its server; empty if there is one. Copies between islands cross PCIe
  bool from_roots = false;  ///< a rank's slice crosses only the trees whose root is the rank
  /// Rank r sends first to rank r + 1, then to r + 2 ..., so that ranks at a switch do not all send to the same peer first.
  /// It has no effect if a GPU has more streams than hardware queues.
  bool staggered = false;
};

/// The programs of all ranks of a job.
struct StreamPlan {
  std::vector<StreamProgram> programs;  ///< [rank]; peers are endpoints (JobSpec::ranks)
  std::vector<std::uint64_t> memory;    ///< [rank] bytes: the buffer of the collective, then mailboxes
  collective::PackedSchedule schedule;  ///< source of the programs
};

/// Returns programs for the trees. The schedule is proved, and so are the programs (stream_proof.h). Throws ScheduleError if
/// the trees do not fit the job or a proof fails.
///
/// Each direction of a tree's edge has a stream. Down: wait for the chunk, copy it to its final address at the child,
/// record. Up: wait for the children, add their mailboxes, copy the sum to the parent's mailbox, record. Mailboxes have full
/// size and follow the buffer in memory. A root adds in a separate stream and records for its streams down. If no command of
/// a rank needs its last chunks, the rank waits for them at the end, so that its commands do not end before its data have
/// arrived. Commands are in the order of issue: chunk by chunk over all trees. If there are trees on NVLink and on PCIe,
/// those on PCIe begin with a `peer_switch`.
StreamPlan plan_streams(const JobSpec& job, Bytes message, const std::vector<StreamTree>& trees, collective::TreeUse use,
                        const StreamOptions& options);

}  // namespace tributary
