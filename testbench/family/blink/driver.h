#pragma once
/// BlinkDriver: the driver of servers of GPUs with copy engines.

#include <map>
#include <memory>
#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/family/blink/algorithm.h"
#include "testbench/family/blink/job_key.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/run/driver.h"
#include "testbench/run/endpoint_jobs.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/facets/timeline.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/facets/tuning.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class BlinkDriver : public Driver, DriverTrace, DriverTimeline, DriverTuning, DriverFluid {
 public:
  /// `params` without automatic values.
  BlinkDriver(const RunSpec& spec, const BlinkParams& params, CompletionListener& listener);

  BlinkPlatform& platform() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return BlinkPlatform::command_latency(params_.platform); }
  double bound(const JobSpec& job, Bytes message) override;
  BottleneckRules bottlenecks() const override;
  DriverFacets facets() override;

 private:
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override;
  void measured(const JobSpec& job, const ResultRow& row) override;
  std::unique_ptr<FluidLowering> fluid() override;
  PacketTrail trail_of(const PacketView& packet) const override {
    return {packet.address / block_bytes, jobs_.of(packet.destination)};
  }
  TracedNumbers numbers(const std::vector<Task>& tasks) override;
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;

  /// Returns what carries the job.
  BlinkAlgorithm& algorithm(const JobSpec& job) const;

  BlinkParams params_;
  EndpointJobs jobs_;
  JobSpec first_job_;
  BlinkPlatform system_;
  std::unique_ptr<BlinkAlgorithm> trees_, channels_, file_;
  std::map<JobKey, Tick> starts_;  ///< first command of the latest message
};

}  // namespace tributary
