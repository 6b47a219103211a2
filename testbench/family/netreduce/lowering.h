#pragma once
/// Collectives on hosts on Ethernet: rings through accelerators, or commands over RDMA.

#include <cstdint>
#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary {

/// Where a job of NetReduce lies in the memory of each of its hosts: operand with what a method needs besides, result (or
/// over the operand), 2N messages that come in, and 2N copies of messages that are sent where a job wants them.
struct NetReduceLayout {
  std::uint64_t result = 0, receive_buffers = 0, staging = 0, bytes = 0;
  /// `operand_bytes`: of the operand and what lies behind it.
  static NetReduceLayout of(Bytes message, const NetReducePlatformParams& params, std::uint64_t operand_bytes);
  static NetReduceLayout of(Bytes message, const NetReducePlatformParams& params) {
    return of(message, params, message.value);
  }
};

/// Bytes on the wire of a WRITE with immediate data, in packets of the MTU.
std::uint64_t write_wire_bytes(std::uint64_t bytes, unsigned mtu);

/// A chunk is one message, and one of RoCE has at most 2 GiB (InfiniBand Architecture Specification). Throws SetupError.
void check_chunks(const collective::Schedule& schedule, Bytes message);

/// A software schedule, proved, of this message; `gpus`: ranks of each host. Chunks are cut into slices of at most that, but
/// for collectives whose chunks are the ranks' parts. Throws ScheduleError.
ChunkCommands software_commands(const JobSpec& job, Bytes message, int gpus, Bytes slice);

/// What each rank does, but for its queue pairs.
std::vector<HostCommands> host_commands(const JobSpec& job, const ChunkCommands& commands);

}  // namespace tributary
