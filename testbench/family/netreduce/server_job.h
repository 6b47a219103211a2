#pragma once
/// parameter_server: what workers and servers do (Liu et al., earlier version, App. A).

#include <cstdint>
#include <map>
#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// The tensor in slices as long as a message of NetReduce, or longer if there were too many; slice i belongs to server
/// i mod S. A worker sends a slice when it has the sum of the one before the last N of that server.
class ServerJob {
 public:
  ServerJob(const JobSpec& job, Bytes message, const NetReducePlatformParams& params);

  std::uint64_t slices() const { return (message_ + slice_bytes_ - 1) / slice_bytes_; }
  std::uint32_t bytes(std::uint64_t slice) const;
  unsigned servers() const { return servers_; }
  /// On the wire, to that server from a worker, or back.
  std::uint64_t wire_bytes(unsigned server) const;
  /// Its workers are still to be filled in; they count for the addresses of buffers.
  ServerPlan server(unsigned server) const;
  /// `ends`: what the servers are called in `pairs`.
  HostCommands worker(std::size_t rank, const std::vector<std::uint16_t>& ends,
                      const std::map<std::uint16_t, unsigned>& pairs) const;

 private:
  std::uint64_t message_, slice_bytes_;
  unsigned servers_, window_, mtu_;
  std::size_t workers_;
  ElementType type_;
  ReduceOp op_;
};

/// The hosts that serve: the last ones of the machine.
std::vector<int> server_hosts(const topology::Racks& machine, const NetReducePlatformParams& params);

}  // namespace tributary
