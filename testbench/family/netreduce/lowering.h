#pragma once
/// Lowers collectives on hosts on Ethernet: rings through accelerators, or commands over RDMA.

#include <cstdint>
#include <vector>

#include "platforms/netreduce/host_program.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary {

/// Rounds up to whole pages of 4 KiB.
constexpr std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

/// Layout of a job of NetReduce in the memory of each of its hosts: operand with the additional buffers of an algorithm,
/// result (or in place of the operand), 2N receive buffers for messages, and 2N copies of sent messages if the job needs
/// them.
struct NetReduceLayout {
  std::uint64_t result = 0, receive_buffers = 0, staging = 0, bytes = 0;
  /// `operand_bytes`: size of the operand with the additional buffers.
  static NetReduceLayout of(Bytes message, const NetReducePlatformParams& params, std::uint64_t operand_bytes);
  static NetReduceLayout of(Bytes message, const NetReducePlatformParams& params) {
    return of(message, params, message.value);
  }
  /// Layout for packets that arrive at their place: no receive buffers. `apart`: the result is not in place of the operand.
  static NetReduceLayout of_packets(std::uint64_t operand_bytes, std::uint64_t result_bytes, bool apart,
                                    const NetReducePlatformParams& params);
};

/// Returns the bytes on the wire of a WRITE with immediate data, in packets of the MTU.
std::uint64_t write_wire_bytes(std::uint64_t bytes, unsigned mtu);

/// Checks that chunks fit into messages of RoCE, at most 2 GiB (InfiniBand Architecture Specification). Throws SetupError.
void check_chunks(const collective::Schedule& schedule, Bytes message);

/// Returns the proved software schedule of this message as commands. `gpus`: ranks of each host. Chunks are cut into slices
/// of at most `slice`, except in collectives whose chunks are the ranks' parts. Throws ScheduleError.
ChunkCommands software_commands(const JobSpec& job, Bytes message, int gpus, Bytes slice);

/// Returns the commands of each rank, without its queue pairs.
std::vector<HostCommands> host_commands(const JobSpec& job, const ChunkCommands& commands);

}  // namespace tributary
