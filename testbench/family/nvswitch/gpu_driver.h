#pragma once
/// GpuDriver: GPUs around NVSwitches.

#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/run/machine_driver.h"

namespace tributary {

class GpuDriver : public MachineDriver {
 public:
  GpuDriver(const RunSpec& spec, const PlatformParams& params, Completion& completion);

  NvSwitchPlatform& system() override { return system_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  void clear() override { fabric_.clear(); }
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override;
  Tick command_latency() const override { return params_.gpu.doorbell_latency.value; }
  double bound(const JobSpec& job, Bytes message) override;
  void start_background(Tick t0) override { system_.start_background(t0); }
  void stop_background(Tick when) override { system_.stop_background(when); }

 private:
  PlatformParams params_;
  NvSwitchPlatform system_;
  FabricManager fabric_;
};

}  // namespace tributary
