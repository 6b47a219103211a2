#pragma once
/// Networks of NICs as flows: an activity for each chunk that is sent, gates for table rows and lockstep (docs/fluid.md).

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/family/schedule_nic/fluid/class_lowering.h"
#include "testbench/family/schedule_nic/fluid/fluid_sends.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

/// Schedules of jobs, each the same as long as the lowering exists.
class NicSchedules {
 public:
  virtual ~NicSchedules() = default;
  /// Returns the proved schedule of a job.
  virtual const collective::NetworkSchedule& schedule(const JobSpec& job, Bytes message) = 0;
  /// Returns the schedule without its programs if they can be made one rank at a time; otherwise that of schedule().
  virtual const collective::NetworkSchedule& outline(const JobSpec& job, Bytes message) = 0;
};

class NicFluidLowering : public FluidLowering {
 public:
  NicFluidLowering(const ScheduleNicPlatform& system, NicSchedules& schedules, NicAdding adding = NicAdding::concurrent);

  const std::vector<FluidLink>& links() const override { return links_; }
  void check(const JobSpec& job) const override;
  double memory(const JobSpec& job, Bytes message) const override;
  double memory_alone(const JobSpec& job, Bytes message) const override;
  void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) override;
  bool lowers_alone(const JobSpec& job, Bytes message) override { return classes(job, message) != nullptr; }
  std::vector<std::uint32_t> add_alone(const JobSpec& job, Bytes message, double start,
                                       collective::ActivityGraph& graph) override;

 private:
  struct Classes {
    std::map<std::pair<std::uint64_t, std::size_t>, std::optional<ClassLowering>>
        lowered;                                   ///< by bytes of the message and of an element
    std::optional<collective::Symmetry> symmetry;  ///< symmetry of the schedule, if that is proved by it
  };
  /// Returns the lowering of one rank of each class; null if ranks do not act alike.
  const ClassLowering* classes(const JobSpec& job, Bytes message) const;

  const ScheduleNicPlatform& system_;
  NicSchedules& schedules_;
  NicAdding adding_;
  std::vector<FluidLink> links_;
  mutable std::map<const collective::NetworkSchedule*, Classes> classes_;
};

}  // namespace tributary
