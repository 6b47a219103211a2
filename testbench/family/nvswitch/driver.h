#pragma once
/// NvSwitchDriver: the driver of GPUs around NVSwitches.

#include <vector>

#include "platforms/nvswitch/fabric_manager.h"
#include "platforms/nvswitch/nvswitch_host.h"
#include "testbench/family/nvswitch/background_source.h"
#include "testbench/family/nvswitch/lowering.h"
#include "testbench/family/nvswitch/stream_jobs.h"
#include "testbench/run/driver.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/facets/fluid.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/facets/tuning.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class NvSwitchDriver : public Driver, DriverTrace, DriverTuning, DriverFluid, DriverBackground {
 public:
  /// Makes a platform of its own.
  NvSwitchDriver(const RunSpec& spec, const NvSwitchPlatformParams& params, CompletionListener& listener);
  /// Has its devices in the platform of `host`, which outlives it. Flows and background traffic need a platform of its own.
  NvSwitchDriver(const RunSpec& spec, const NvSwitchPlatformParams& params, CompletionListener& listener,
                 NvSwitchHost& host);

  Platform& platform() override { return platform_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void clear() override { fabric_.clear(); }
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return params_.gpu.doorbell_latency.value; }
  double bound(const JobSpec& job, Bytes message) override;
  BottleneckRules bottlenecks() const override { return bottlenecks_; }
  std::vector<OperandRange> results(const JobSpec& job, Bytes message) const override;
  DriverFacets facets() override;

 private:
  TracedNumbers numbers(const std::vector<Task>& tasks) override;
  std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) override;
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override { return streams_.choices(job, message); }
  void measured(const JobSpec& job, const ResultRow& row) override { streams_.measured(job, row); }
  std::unique_ptr<FluidLowering> fluid() override;
  void start_background(Tick t0) override;
  void stop_background(Tick when) override;

  NvSwitchPlatform::Config config_of(const RunSpec& spec);
  Lowered lowered(const JobSpec& job, Bytes message);

  std::vector<BackgroundSource*> background_;  // by GPU, if there is any
  NvSwitchPlatformParams params_;
  std::unique_ptr<NvSwitchPlatform> own_;  ///< null: the platform is that of a host
  NvSwitchPart& devices_;
  Platform& platform_;
  NvSwitchHost* host_ = nullptr;  ///< null: the platform is its own
  BottleneckRules bottlenecks_;
  FabricManager fabric_;
  StreamJobs streams_;
};

}  // namespace tributary
