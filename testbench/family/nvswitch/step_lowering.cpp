#include "testbench/family/nvswitch/step_lowering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "modules/base/index.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/schedule_lowering.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/step_operations.h"

namespace tributary {

namespace {

/// Regions of one group: its parts of the buffer, and the barriers of its operations, one after another.
struct GroupRegions {
  std::uint64_t first = ~std::uint64_t{0}, end = 0, barrier_bytes = 0;  ///< addresses in the memory of each member
  std::uint64_t message = 0, barriers = 0;                              ///< network addresses
  std::uint32_t first_queue = 0;
  bool begun = false;                ///< some operations are lowered
  bool has_second = false;           ///< some operations are in other queues than the first one
  std::uint64_t second_message = 0;  ///< network addresses of the operations of other queues, where these work in place
};

/// Returns true if NICs carry out some tasks of the step: then operands are there from the begin, and the operations of a
/// second queue work on the results of the first one, in place.
bool has_network_tasks(const JobStep& step) {
  const std::vector<DeviceTask>& tasks = step.programs.front().tasks;
  return std::any_of(tasks.begin(), tasks.end(), [](const DeviceTask& t) { return t.kind == DeviceTask::Kind::network; });
}

class StageSteps {
 public:
  StageSteps(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric)
      : job_(job),
        params_(params),
        fabric_(fabric),
        in_place_(has_network_tasks(*job.step)),
        buffer_bytes_(blocks_of(job.step->bytes()) * block_bytes) {
    std::uint64_t barriers = 0;
    for (const JobStep::Part& part : job.step->operations) {
      const auto [found, fresh] = groups_.try_emplace(part.members);
      GroupRegions& group = found->second;
      if (fresh) group.first_queue = part.queue;
      group.has_second = group.has_second || part.queue != group.first_queue;
      group.first = std::min(group.first, part.first);
      group.end = std::max(group.end, part.first + blocks_of(part.buffer_bytes) * block_bytes);
      if (fresh || !in_place_) group.barrier_bytes += barrier_bytes(part), barriers += barrier_bytes(part);
      barrier_bytes_ = barriers;
    }
  }

  Lowered lower() {
    place_groups();
    Lowered lowered{std::vector<GpuProgram>(job_.ranks.size()), buffer_bytes_ + barrier_bytes_, barrier_bytes_};
    for (const JobStep::Part& part : job_.step->operations) {
      GroupRegions& group = groups_.at(part.members);
      const std::uint64_t message = part.queue == group.first_queue || !in_place_ ? group.message : group.second_message;
      const PlacedRegions placed{message + part.first - group.first, group.barriers, has_barrier(group)};
      const JobSpec one = operation_of(job_, part);
      const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(one);
      Lowered alone = algorithm.lower(algorithm, {one, bytes(part.bytes), params_, fabric_, &placed});
      group.barriers += barrier_bytes(part);
      group.begun = true;
      for (std::size_t i = 0; i < part.members.size(); ++i)
        append(lowered.operations[at(part.members[i])], std::move(alone.operations[i]), part.queue);
    }
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) lowered.operations[r].tasks = job_.step->programs[r];
    return lowered;
  }

 private:
  std::uint64_t barrier_bytes(const JobStep::Part& part) const {
    const bool pulls = nvswitch_algorithm(operation_of(job_, part)).reduces == Reduces::in_flight;
    return pulls && params_.pull.barrier ? part.members.size() * block_bytes : 0;
  }
  /// A group whose operands are there from the begin needs one barrier, which its first operation has.
  bool has_barrier(const GroupRegions& group) const { return !in_place_ || !group.begun; }
  /// Returns true if a group before this one has memory in common with it. Groups that work in place may.
  bool shares_memory(const std::vector<int>& members) const {
    const GroupRegions& own = groups_.at(members);
    for (auto g = groups_.begin(); in_place_ && g != groups_.find(members); ++g) {
      const auto& [others, group] = *g;
      const bool meet = std::any_of(others.begin(), others.end(), [&](int member) {
        return std::find(members.begin(), members.end(), member) != members.end();
      });
      if (meet && own.first < group.end && group.first < own.end) return true;
    }
    return false;
  }
  void place_groups() {
    std::uint64_t local = buffer_bytes_;
    for (auto& [members, group] : groups_) {
      std::vector<int> gpus;
      for (const int member : members) gpus.push_back(job_.ranks[at(member)]);
      group.message = shares_memory(members) ? fabric_.second_region(gpus, group.first, group.end - group.first).network
                                             : fabric_.multicast_region(gpus, group.first, group.end - group.first).network;
      if (in_place_ && group.has_second)
        group.second_message = fabric_.second_region(gpus, group.first, group.end - group.first).network;
      if (group.barrier_bytes > 0) group.barriers = fabric_.multicast_region(gpus, local, group.barrier_bytes).network;
      local += group.barrier_bytes;
    }
  }
  /// Multicasts of a second queue are in flight with the pulls of the first one. They hold no table entries, so they have
  /// wave counters of their own, and neither of the two limits the other.
  void append(GpuProgram& program, GpuProgram alone, std::uint32_t lane) const {
    for (DmaStage& s : alone.stages) {
      s.own_waves = in_place_ && s.kind == DmaStage::Kind::multicast;
      s.members = alone.members;
    }
    const auto first = static_cast<std::uint32_t>(program.stages.size());
    const auto count = static_cast<std::uint32_t>(alone.stages.size());
    std::vector<DmaStage> stages = std::move(program.stages);
    std::vector<GpuOperation> operations = std::move(program.operations);
    operations.push_back({first, count, lane});
    stages.insert(stages.end(), alone.stages.begin(), alone.stages.end());
    program = std::move(alone);
    program.stages = std::move(stages);
    program.operations = std::move(operations);
  }

  const JobSpec& job_;
  const NvSwitchPlatformParams& params_;
  FabricManager& fabric_;
  bool in_place_;
  std::uint64_t buffer_bytes_, barrier_bytes_ = 0;
  std::map<std::vector<int>, GroupRegions> groups_;  // by members of the group
};

}  // namespace

bool has_steps(const JobSpec& operation) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(operation);
  return algorithm.streams == nullptr && !algorithm.kernels && !collective_of(operation.collective).signals();
}

bool runs_in_stages(const JobSpec& operation) { return nvswitch_algorithm(operation).schedule == nullptr; }

Lowered lower_step(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric) {
  if (runs_in_stages(operations_of(job).front())) return StageSteps(job, params, fabric).lower();
  const auto schedule = [&](const JobSpec& operation, Bytes message) {
    return schedule_of(nvswitch_algorithm(operation), operation, message, fabric.machine());
  };
  return lower_step_schedules(job, schedule, fabric);
}

}  // namespace tributary
