#pragma once
/// The algorithms of GPUs around NVSwitches: one row for each algorithm of a collective.

#include <cstdint>
#include <vector>

#include "platforms/nvswitch/automatic.h"
#include "testbench/family/nvswitch/bound.h"
#include "testbench/family/nvswitch/lowering.h"
#include "testbench/family/nvswitch/stream_plans.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

struct NvSwitchAlgorithm {
  using Lower = Lowered (*)(const NvSwitchAlgorithm& algorithm, const LowerInput& in);
  /// Returns the unproved schedule of a message, as if no chunk were empty. Throws SetupError if the machine cannot execute
  /// it, or not on these GPUs.
  using Schedule = collective::Schedule (*)(const NvSwitchAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                            const Machine& machine);
  /// Returns GB/s of algbw; `in` holds the inputs that do not depend on the algorithm.
  using Bound = double (*)(const NvSwitchAlgorithm& algorithm, const collective::BoundInput& in, const JobSpec& job,
                           Bytes message, const Machine& machine);
  using Results = std::vector<OperandRange> (*)(const JobSpec& job, Bytes message);
  /// Throws ScheduleError; see stream_plans.h.
  using Streams = GpuStreams (*)(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params);

  const char* collective;
  const char* name;
  const char* about;
  Reduces reduces;
  Lower lower;
  Bound bound;
  Schedule schedule = nullptr;  ///< software algorithms: the schedule that the GPUs' command executors run
  bool follows_plane = false;   ///< the schedule depends on a plane of the machine, which may not support it
  Results results = nullptr;    ///< null: the results that the collective defines
  Streams streams = nullptr;    ///< algorithms of copy engines and channels: the programs that the GPUs' front ends run
  bool channels = false;        ///< the programs are channels, without chunks
  bool kernels = false;         ///< thread blocks of GPUs reduce in the switches, without DMA engines
};

const std::vector<NvSwitchAlgorithm>& nvswitch_algorithms();
/// Throws std::invalid_argument if the family does not have the algorithm.
const NvSwitchAlgorithm& nvswitch_algorithm(const JobSpec& job);

/// Returns the number of slices into which the all-reduce of a plane cuts chunks of that size. The proof limits it: 16 for
/// 64 ranks.
int plane_slices(std::size_t ranks, std::uint64_t chunk_bytes);
/// Throws SetupError; see NvSwitchAlgorithm::schedule.
SizedSchedule schedule_of(const NvSwitchAlgorithm& algorithm, const JobSpec& job, Bytes message, const Machine& machine);
/// Returns the algbw, GB/s, that the busiest link or cut allows; 0 if nothing crosses a link. `streams`: the streams of the
/// job, if it has some and they are known already.
double bound_GBps(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params, const Machine& machine,
                  const GpuStreams* streams = nullptr);
/// Returns the final buffers of the ranks. A barrier by push or pull leaves the sum of its packets.
std::vector<OperandRange> results_of(const JobSpec& job, Bytes message);

}  // namespace tributary
