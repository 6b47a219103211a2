#pragma once
/// Machines of NVSwitches as flows: an activity for each chunk that a GPU sends, or for each stage of an in-network
/// algorithm (docs/fluid.md).

#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/family/nvswitch/fluid/fluid_loads.h"
#include "testbench/family/nvswitch/lowering.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

class NvSwitchFluidLowering : public FluidLowering {
 public:
  NvSwitchFluidLowering(const NvSwitchPlatform& system, const NvSwitchPlatformParams& params, FabricManager& fabric);

  const std::vector<FluidLink>& links() const override { return links_.links(); }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;

 private:
  using Id = collective::ActivityGraph::Id;

  void add_commands(const std::vector<int>& gpus, const Lowered& lowered, double start, collective::ActivityGraph& graph);
  Id add_stage(const std::vector<int>& gpus, const Lowered& lowered, std::size_t stage, collective::ActivityGraph& graph);
  double route(int switches) const;

  const NvSwitchPlatform& system_;
  const NvSwitchPlatformParams& params_;
  FabricManager& fabric_;
  FluidFabric links_;
};

}  // namespace tributary
