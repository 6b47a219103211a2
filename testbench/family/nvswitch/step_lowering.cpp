#include "testbench/family/nvswitch/step_lowering.h"

#include <utility>

#include "testbench/family/nvswitch/methods.h"
#include "testbench/family/nvswitch/schedule_lowering.h"

namespace tributary {

namespace {

Lowered lower_stages(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric) {
  const JobStep& step = *job.step;
  const NvSwitchMethod& method = nvswitch_method(job);
  const std::uint64_t buffer_bytes = blocks_of(step.bytes()) * block_bytes;
  const bool barriers = method.reduces == Reduces::on_the_way && params.pull.barrier;
  const std::uint64_t barrier_bytes = barriers ? job.ranks.size() * block_bytes : 0;
  const std::uint64_t all_barriers = step.operations.size() * barrier_bytes;
  const std::uint64_t buffer = fabric.multicast_region(job.ranks, 0, buffer_bytes).network;
  const std::uint64_t barrier = barriers ? fabric.multicast_region(job.ranks, buffer_bytes, all_barriers).network : 0;
  Lowered lowered{std::vector<GpuProgram>(job.ranks.size()), buffer_bytes + all_barriers, all_barriers};
  for (std::size_t o = 0; o < step.operations.size(); ++o) {
    const JobStep::Part& part = step.operations[o];
    const PlacedRegions placed{buffer + part.first, barrier + o * barrier_bytes};
    Lowered one = method.lower(method, {job, bytes(part.bytes), params, fabric, &placed});
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      GpuProgram& program = lowered.operations[r];
      std::vector<DmaStage>& stages = one.operations[r].stages;
      const auto first = static_cast<std::uint32_t>(program.stages.size());
      std::vector<DmaStage> all = std::move(program.stages);
      std::vector<GpuOperation> operations = std::move(program.operations);
      operations.push_back({first, static_cast<std::uint32_t>(stages.size()), part.stream});
      all.insert(all.end(), stages.begin(), stages.end());
      program = std::move(one.operations[r]);
      program.stages = std::move(all);
      program.operations = std::move(operations);
    }
  }
  for (std::size_t r = 0; r < job.ranks.size(); ++r) lowered.operations[r].tasks = step.programs[r];
  return lowered;
}

}  // namespace

bool has_steps(const JobSpec& job) { return nvswitch_method(job).streams == nullptr; }

Lowered lower_step(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric) {
  const NvSwitchMethod& method = nvswitch_method(job);
  if (method.schedule == nullptr) return lower_stages(job, params, fabric);
  const auto schedule = [&](Bytes message) { return schedule_of(method, job, message, fabric.machine()); };
  return lower_step_schedules(job, schedule, fabric);
}

}  // namespace tributary
