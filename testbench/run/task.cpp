#include "testbench/run/task.h"

#include "modules/base/random.h"

namespace tributary {

std::vector<Task> tasks_of(const RunSpec& spec, const WorkItem& item) {
  std::vector<Task> tasks{{0, &spec.job, item.size}};
  for (const SideJob& side : spec.beside) tasks.push_back({tasks.size(), &side.job, side.size});
  return tasks;
}

std::vector<const JobSpec*> jobs_of(const RunSpec& spec) {
  std::vector<const JobSpec*> jobs{&spec.job};
  for (const SideJob& side : spec.beside) jobs.push_back(&side.job);
  return jobs;
}

workload::DataSpec data_of(const RunSpec& spec, const Task& task) {
  const std::uint64_t seed = task.index == 0 ? spec.seed : random_at(spec.seed, 0x10B, task.index);
  return {task.job->type, spec.data == DataMode::random ? workload::Values::random : workload::Values::exact, seed,
          task.job->op};
}

std::vector<std::uint8_t> job_by_gpu(const RunSpec& spec, std::size_t gpus) {
  std::vector<std::uint8_t> job_of(gpus, 0);
  std::uint8_t index = 0;
  for (const JobSpec* job : jobs_of(spec)) {
    for (const int gpu : job->ranks) job_of.at(static_cast<std::size_t>(gpu)) = index;
    ++index;
  }
  return job_of;
}

}  // namespace tributary
