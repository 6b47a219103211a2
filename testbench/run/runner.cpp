#include "testbench/run/runner.h"

#include "testbench/run/fluid_session.h"
#include "testbench/run/memory_reserve.h"
#include "testbench/run/session.h"
#include "testbench/workload/collective.h"

namespace tributary {

std::unique_ptr<Runner> make_runner(const RunSpec& spec, Elaboration elaboration) {
  if (spec.mode == SimulationMode::fluid) return std::make_unique<FluidSession>(spec);
  return std::make_unique<Session>(spec, elaboration);
}

ResultRow row_of_message(const RunSpec& spec, const Task& task) {
  const JobSpec& job = *task.job;
  ResultRow row;
  row.label = task.label;
  if (spec.iterations > 0) row.iteration = task.iteration;
  if (spec.jobs.size() > 1) row.job = job;
  row.job_index = task.index;
  row.size_bytes = task.size.value;
  row.count = task.size.value / element_size(job.type);
  row.type = job.type;
  row.op = job.op;
  row.bus_factor = collective_of(job.collective).bus_factor(job.ranks.size());
  return row;
}

std::vector<ResultRow> rows_without_result(const RunSpec& spec, std::size_t number, Status status) {
  std::vector<ResultRow> rows;
  for (const Task& task : tasks_of(spec, number)) {
    rows.push_back(row_of_message(spec, task));
    rows.back().status = status;
    if (status == Status::out_of_memory) rows.back().report = memory_shortage();
  }
  return rows;
}

}  // namespace tributary
