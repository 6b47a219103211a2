#pragma once
/// ScheduleNicDriver: the driver of networks of NICs.

#include <map>
#include <optional>
#include <string>

#include "testbench/family/schedule_nic/bottlenecks.h"
#include "testbench/family/schedule_nic/fluid/fluid_lowering.h"
#include "testbench/family/schedule_nic/node_chunks.h"
#include "testbench/family/schedule_nic/step_lowering.h"
#include "testbench/run/driver.h"
#include "testbench/run/endpoint_jobs.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/facets/timeline.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class ScheduleNicDriver : public Driver, DriverTrace, DriverTimeline, DriverFluid, NicSchedules {
 public:
  ScheduleNicDriver(const RunSpec& spec, const NetworkParams& params, CompletionListener& listener);

  ScheduleNicPlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return ScheduleNicPlatform::command_latency(params_); }
  double bound(const JobSpec& job, Bytes message) override;
  BottleneckRules bottlenecks() const override { return bottlenecks_; }
  DriverFacets facets() override;

 private:
  bool has_equal_latencies() const;
  TracedNumbers numbers(const std::vector<Task>& tasks) override;
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;
  std::unique_ptr<FluidLowering> fluid() override;
  PacketTrail trail_of(const PacketView& packet) const override;
  /// In a step an entry belongs to no trail, because operations use the same chunk numbers.
  PacketTrail trail_of_entry(const ReductionEvent& event) const override;
  /// Returns the chunk of a packet; ~0 if it belongs to none.
  std::uint64_t chunk_of(const PacketView& packet) const;
  void post_step(const JobSpec& job, const std::function<Tick(std::size_t rank)>& start);
  const collective::NetworkSchedule& schedule(const JobSpec& job, Bytes message) override;
  const collective::NetworkSchedule& outline(const JobSpec& job, Bytes message) override;
  std::string key_of(const JobSpec& job, int chunks) const;
  LoweredStep lowered_step(const JobSpec& job);
  std::optional<NicChain> chain_of(const ResultRow& row);

  NetworkParams params_;
  std::vector<JobSpec> specs_;
  EndpointJobs jobs_;
  bool steps_;  ///< a job is a training step
  ScheduleNicPlatform system_;
  BottleneckRules bottlenecks_;
  std::map<std::string, collective::NetworkSchedule> schedules_;  ///< proved schedules, by job
  std::map<std::string, std::optional<collective::NetworkSchedule>> outlines_;
  std::vector<NodeChunks> chunks_;  ///< by node
};

}  // namespace tributary
