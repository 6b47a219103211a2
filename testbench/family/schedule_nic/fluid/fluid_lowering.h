#pragma once
/// Networks of NICs as flows: an activity for each chunk that is sent, gates for table rows and lockstep (docs/fluid.md).

#include <functional>
#include <memory>
#include <vector>

#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/family/schedule_nic/fluid/fluid_sends.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

class NicFluidLowering : public FluidLowering {
 public:
  /// Returns the proved schedule of a job.
  using ScheduleOf = std::function<const collective::NetworkSchedule&(const JobSpec& job, Bytes message)>;
  NicFluidLowering(const ScheduleNicPlatform& system, ScheduleOf schedule_of, NicAdding adding = NicAdding::concurrent);

  const std::vector<FluidLink>& links() const override { return links_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;

 private:
  const ScheduleNicPlatform& system_;
  ScheduleOf schedule_of_;
  NicAdding adding_;
  std::vector<FluidLink> links_;
};

}  // namespace tributary
