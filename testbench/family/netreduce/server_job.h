#pragma once
/// ServerJob: programs of the workers and parameter servers of a job (Liu et al., earlier version, App. A).

#include <cstdint>
#include <map>
#include <vector>

#include "platforms/netreduce/host_program.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// The tensor is cut into slices as long as a message of NetReduce, or longer to limit their number; slice i belongs to
/// server i mod S. A worker sends a slice after it has received the sum of the N-th slice before it of the same server.
class ServerJob {
 public:
  ServerJob(const JobSpec& job, Bytes message, const NetReducePlatformParams& params);

  std::uint64_t slices() const { return (message_ + slice_bytes_ - 1) / slice_bytes_; }
  std::uint32_t bytes(std::uint64_t slice) const;
  unsigned servers() const { return servers_; }
  /// Returns the bytes on the wire from one worker to the server, or back.
  std::uint64_t wire_bytes(unsigned server) const;
  /// Returns the plan of a server. The caller fills in the workers; their number determines the addresses of buffers.
  ServerPlan server(unsigned server) const;
  /// `ends`: names of the servers in `pairs`.
  HostCommands worker(std::size_t rank, const std::vector<std::uint16_t>& ends,
                      const std::map<std::uint16_t, unsigned>& pairs) const;

 private:
  std::uint64_t message_, slice_bytes_;
  unsigned servers_, window_, mtu_;
  std::size_t workers_;
  ElementType type_;
  ReduceOp op_;
};

/// Returns the hosts with parameter servers: the last ones of the machine.
std::vector<int> server_hosts(const topology::Racks& machine, const NetReducePlatformParams& params);

}  // namespace tributary
