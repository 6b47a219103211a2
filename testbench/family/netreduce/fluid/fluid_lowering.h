#pragma once
/// Hosts on Ethernet as flows: one activity for the rings of NetReduce, one for each chunk of software over RDMA
/// (docs/fluid.md).

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/collective/fluid/ethernet_flows.h"
#include "testbench/run/fluid_lowering.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary {

/// Kinds of the delays between activities.
enum HostDelay : collective::DelayKind {
  host_adding = 1,  ///< the host adds a chunk
  host_answer       ///< too many bytes wait for their ACK
};

class RingJob;

/// Refuses machines and jobs whose flows lie further than 5 % from their packets. Throws SetupError (one line).
void check_host_flows(const JobSpec& job, const NetReducePlatformParams& params, const topology::Racks& racks);
/// Returns the times and rates of `hosts` hosts in `racks` racks.
collective::FlowParams host_flow_params(int hosts, int racks, const NetReducePlatformParams& params);

class HostFluidLowering : public FluidLowering {
 public:
  /// Returns the proved commands of a job.
  using CommandsOf = std::function<ChunkCommands(const JobSpec& job, Bytes message)>;
  HostFluidLowering(const NetReducePlatform& system, CommandsOf commands_of);

  const std::vector<FluidLink>& links() const override { return links_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;

 private:
  using Graph = collective::ActivityGraph;

  void add_rings(const JobSpec& job, Bytes message, double start, Graph& graph) const;
  void add_commands(const JobSpec& job, Bytes message, double start, Graph& graph) const;
  std::map<std::uint32_t, double> ring_bytes(const JobSpec& job, const RingJob& ring, double wire) const;
  /// Name of the switch of a host.
  std::string leaf_of(int host) const;
  std::uint32_t link(const std::string& from, const std::string& to) const;
  /// Returns the links of a WRITE.
  std::vector<std::uint32_t> route(int from, int to) const;
  collective::Activity transfer(int from, int to, std::uint64_t bytes, const collective::FlowParams& flow) const;
  collective::FlowParams flow_params(const JobSpec& job) const;
  int gpus() const { return static_cast<int>(system_.gpus()); }

  const NetReducePlatform& system_;
  CommandsOf commands_of_;
  std::vector<FluidLink> links_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> by_ends_;  ///< names of modules
};

}  // namespace tributary
