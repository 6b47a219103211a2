#include "testbench/run/task.h"

#include "testbench/run/family.h"

namespace tributary {

std::vector<Task> tasks_of(const RunSpec& spec, std::size_t number) {
  std::vector<Task> tasks;
  for (const JobSpec& job : spec.jobs) {
    const WorkItem& item = job.items.at(number / spec.repeats());
    tasks.push_back({tasks.size(), &job, item.label, item.size, static_cast<unsigned>(number % spec.repeats())});
  }
  return tasks;
}

workload::DataSpec data_of(const RunSpec& spec, const Task& task) { return data_of(spec, *task.job, task.index); }

workload::DataSpec data_of(const RunSpec& spec, const JobSpec& job, std::size_t index) {
  constexpr std::uint64_t apart = 0x9E3779B97F4A7C15;  // odd, so that no two jobs of a run share a seed
  return {job.type, spec.data == DataMode::random ? workload::Values::random : workload::Values::exact,
          spec.seed + apart * index, job.op, job.ranks.size() > static_cast<std::size_t>(workload::few_ranks)};
}

std::vector<std::uint8_t> job_by_source(const RunSpec& spec, std::size_t sources) {
  const int per_source = family_of(spec.platform).platform(spec.platform).endpoints_per_source;
  std::vector<std::uint8_t> job_of(sources, 0);
  std::uint8_t index = 0;
  for (const JobSpec& job : spec.jobs) {
    for (const int endpoint : job.ranks) job_of.at(static_cast<std::size_t>(endpoint / per_source)) = index;
    ++index;
  }
  return job_of;
}

}  // namespace tributary
