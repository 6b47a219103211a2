#pragma once
/// The methods of GPUs around NVSwitches: one row for each algorithm of a collective.

#include <cstdint>
#include <vector>

#include "platforms/nvswitch/automatic.h"
#include "testbench/family/nvswitch/bound.h"
#include "testbench/family/nvswitch/lowering.h"
#include "testbench/family/nvswitch/stream_plans.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

struct NvSwitchMethod {
  using Lower = Lowered (*)(const NvSwitchMethod& method, const LowerInput& in);
  /// The schedule of a message, not yet proved, as if no chunk were empty. Throws SetupError when the machine cannot carry
  /// it, or not on these GPUs.
  using Schedule = collective::Schedule (*)(const NvSwitchMethod& method, const JobSpec& job, Bytes message,
                                            const Machine& machine);
  /// GB/s of algbw; `in` holds what does not depend on the method.
  using Bound = double (*)(const NvSwitchMethod& method, const collective::BoundInput& in, const JobSpec& job, Bytes message,
                           const Machine& machine);
  using Results = std::vector<Piece> (*)(const JobSpec& job, Bytes message);
  /// Throws ScheduleError; see stream_plans.h.
  using Streams = GpuStreams (*)(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params);

  const char* collective;
  const char* name;
  const char* about;
  Reduces reduces;
  Lower lower;
  Bound bound;
  Schedule schedule = nullptr;  ///< of software methods: what the GPUs' command executors run
  bool follows_plane = false;   ///< the schedule follows from a plane of the machine, which may not carry it
  Results results = nullptr;    ///< null: what the collective defines
  Streams streams = nullptr;    ///< of methods of copy engines and channels: what the GPUs' front ends run
  bool channels = false;        ///< of these: channels, without chunks
};

const std::vector<NvSwitchMethod>& nvswitch_methods();
/// Throws std::invalid_argument when the family has no such method.
const NvSwitchMethod& nvswitch_method(const JobSpec& job);

/// Throws SetupError; see NvSwitchMethod::schedule.
SizedSchedule schedule_of(const NvSwitchMethod& method, const JobSpec& job, Bytes message, const Machine& machine);
/// GB/s of algbw that the busiest link or cut allows; 0 when nothing crosses a link. `streams`: of a method that has some,
/// where they are known already.
double bound_GBps(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params, const Machine& machine,
                  const GpuStreams* streams = nullptr);
/// What the ranks hold at the end. A barrier by push or pull leaves the sum of its packets.
std::vector<Piece> results_of(const JobSpec& job, Bytes message);

}  // namespace tributary
