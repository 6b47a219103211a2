#pragma once
/// Collectives on hosts on Ethernet: rings through accelerators, or commands over RDMA.

#include <cstdint>
#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary {

/// Where a job of NetReduce lies in the memory of each of its hosts: operand, result beside it (or over it), 2N messages
/// that come in, and 2N copies of messages that are sent where a job wants them.
struct NetReduceLayout {
  std::uint64_t result = 0, receive_buffers = 0, staging = 0, bytes = 0;
  static NetReduceLayout of(Bytes message, const NetReducePlatformParams& params);
};

/// Bytes on the wire of a WRITE with immediate data, in packets of the MTU.
std::uint64_t write_wire_bytes(std::uint64_t bytes, unsigned mtu);

/// A software schedule, proved, of this message. Chunks are cut into slices of at most that, but for collectives whose
/// chunks are the ranks' parts. Throws ScheduleError.
ChunkCommands software_commands(const JobSpec& job, Bytes message, Bytes slice);

/// What the host of each rank does, but for its queue pairs.
std::vector<HostCommands> host_commands(const JobSpec& job, const ChunkCommands& commands);

}  // namespace tributary
