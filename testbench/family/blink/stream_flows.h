#pragma once
/// StreamFlows: fluid model of streams of commands on one server's NVLinks. Copies and kernels are activities, records and
/// waits are points in time (docs/fluid.md).

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

class StreamFlows : public FluidLowering {
 public:
  /// Returns the proved programs of a job's GPUs.
  using PlanOf = std::function<const StreamPlan&(const JobSpec& job, Bytes message)>;
  StreamFlows(const BlinkPlatform& system, PlanOf plan_of);

  const std::vector<FluidLink>& links() const override { return links_; }
  void check(const JobSpec& job) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;

 private:
  using Graph = collective::ActivityGraph;
  using Id = Graph::Id;

  /// Returns the activity that ends when the command ends.
  Id add_command(const StreamCommand& command, int gpu, Id before, Graph& graph) const;
  Id add_copy(const StreamCommand& copy, int gpu, Id before, Graph& graph) const;
  Id add_kernel(const StreamCommand& kernel, int gpu, Id before, Graph& graph) const;

  const BlinkPlatform& system_;
  PlanOf plan_of_;
  std::vector<FluidLink> links_;                          ///< each joins all NVLinks from one GPU to another
  std::map<std::pair<int, int>, std::uint32_t> by_ends_;  ///< index in links_, by sending and receiving GPU
};

}  // namespace tributary
