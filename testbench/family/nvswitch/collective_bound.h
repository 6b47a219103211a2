#pragma once
/// Bounds of the collectives other than all-reduce and broadcast, and of every software schedule. As in bound.h, GB/s from
/// bytes alone, so that no run can be faster; the size is that of nccl-tests (the whole message).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "testbench/collective/schedule/parts.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/nvswitch/bound.h"
#include "testbench/workload/job.h"

namespace tributary::collective {

/// Every rank multicasts its part to the others.
double allgather_multicast_bound_GBps(const BoundInput& in, const Parts& parts);
/// Every rank writes the whole message to its home ports, which send the results to the root.
double reduce_push_bound_GBps(const BoundInput& in, int root);
/// The root pulls the whole message.
double reduce_pull_bound_GBps(const BoundInput& in, int root);
/// Every rank pulls its part.
double reduce_scatter_pull_bound_GBps(const BoundInput& in, const Parts& parts);
/// Barriers of one packet of `in.message` bytes from each rank: the packets are pulled and the sum is multicast, or a flag
/// (16 B) goes to every rank. A barrier by push is a push all-reduce of one packet.
double barrier_pull_bound_GBps(const BoundInput& in);
double barrier_multicast_bound_GBps(const BoundInput& in);
/// Counts the bytes that the sends of a schedule move; `chunk_bytes`: the sizes of its chunks.
double schedule_bound_GBps(const BoundInput& in, const Schedule& schedule, const std::vector<std::uint64_t>& chunk_bytes);
/// Counts the bytes that copies and channel steps move; peers are the job's GPUs.
double streams_bound_GBps(const BoundInput& in, const JobSpec& job, const std::vector<StreamProgram>& programs);

}  // namespace tributary::collective
