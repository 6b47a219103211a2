#pragma once
/// NetReduceDriver: the driver of hosts on Ethernet.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/collective/fluid/longest_chain.h"
#include "testbench/family/netreduce/machine_plan.h"
#include "testbench/family/netreduce/ring_flows.h"
#include "testbench/family/netreduce/slot_entries.h"
#include "testbench/run/driver.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/facets/servers.h"
#include "testbench/run/facets/timeline.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class HostLoads;

class NetReduceDriver : public Driver, DriverTrace, DriverTimeline, DriverFluid, DriverBackground, DriverServers {
 public:
  NetReduceDriver(const RunSpec& spec, const NetReducePlatformParams& params, CompletionListener& listener);

  NetReducePlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return NetReducePlatform::command_latency(params_); }
  double bound(const JobSpec& job, Bytes message) override;
  BottleneckRules bottlenecks() const override { return bottlenecks_; }
  std::vector<OperandRange> results(const JobSpec& job, Bytes message) const override;
  std::uint64_t result_distance(const JobSpec& job, const JobStep::Part& part) const override;
  DriverFacets facets() override;

 private:
  std::uint64_t memory_beside_ranks(const JobSpec& job, Bytes message) const override;
  TracedNumbers numbers(const std::vector<Task>& tasks) override;
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;
  /// Returns, for packets of a ring, the number of the packet in the tensor, as --trace-block counts.
  PacketTrail trail_of(const PacketView& packet) const override {
    return flows_.of(roce(*static_cast<const Packet*>(packet.storage)));
  }
  PacketTrail trail_of_entry(const ReductionEvent& event) const override {
    return {event.block, SlotEntries::ring_of(event.entry)};
  }
  std::vector<EntrySource> entries(const ProbeDirectory& probes) override;
  void start_background(Tick t0) override { system_.start_background(t0); }
  void stop_background(Tick when) override { system_.stop_background(when); }
  std::unique_ptr<FluidLowering> fluid() override;

  using Start = std::function<Tick(std::size_t rank)>;
  using Pairs = std::map<std::pair<int, int>, unsigned>;  ///< queue pair at the first endpoint, by endpoints
  void post_ring(const JobSpec& job, Bytes message, const Start& start);
  void post_machines(const JobSpec& job, Bytes message, const Start& start);
  void post_commands(const JobSpec& job, Bytes message, const Start& start);
  void post_servers(const JobSpec& job, Bytes message, const Start& start);
  void post_step(const JobSpec& job, const Start& start);
  std::uint64_t bytes_needed(const JobSpec& job, Bytes message) const;
  /// Makes a ring of the endpoints, with `plan` as the common part of their plans.
  std::vector<RingPlan> make_ring(const JobSpec& job, const std::vector<int>& ends, const RingPlan& plan);
  void connect(const ChunkCommands& commands, const std::vector<int>& ends, Pairs& pairs);
  std::vector<HostCommands> programs(const JobSpec& job, const ChunkCommands& commands, const Pairs& pairs) const;
  void add_loads(const JobSpec& job, Bytes message, HostLoads& loads) const;
  ChunkCommands software(const JobSpec& job, Bytes message) const;
  std::optional<collective::LongestChain> chain_of(const ResultRow& row) const;
  MachinePlan machine_plan(const JobSpec& job, Bytes message, std::size_t host) const;
  int gpus() const { return static_cast<int>(system_.gpus()); }
  unsigned mtu() const { return static_cast<unsigned>(params_.nic.mtu.value); }

  NetReducePlatformParams params_;
  std::vector<JobSpec> specs_;
  bool with_data_;
  NetReducePlatform system_;
  BottleneckRules bottlenecks_;
  RingFlows flows_;
  std::optional<SlotEntries> entries_;  ///< slots of accelerators, if there is a timeline
};

/// Returns the agent of each host that takes part in a job, for messages; `host`: that of the others.
std::map<std::string, std::string> host_agents(const RunSpec& spec, const NetReducePlatformParams& params);

/// Returns the named machine, with the numbers of spines and ports of the parameters. Throws std::invalid_argument.
topology::Racks racks_of(const std::string& platform, const NetReducePlatformParams& params);

}  // namespace tributary
