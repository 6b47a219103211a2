#pragma once
/// Task: a message of a job. One task of each job runs at a time.

#include <vector>

#include "testbench/run/run_spec.h"
#include "testbench/workload/reference_data.h"

namespace tributary {

struct Task {
  std::size_t index = 0;  ///< number of the job
  const JobSpec* job = nullptr;
  std::string label;  ///< label of the message
  Bytes size;
  unsigned iteration = 0;
};

/// Returns message `number` of every job: iteration number % repeats of an item. The tasks point into `spec`.
std::vector<Task> tasks_of(const RunSpec& spec, std::size_t number);
/// Returns the initial data of its ranks. Every job has its own numbers, so that data that stray into another job are
/// detected.
workload::DataSpec data_of(const RunSpec& spec, const Task& task);
/// Returns the initial data of job `index` of a run.
workload::DataSpec data_of(const RunSpec& spec, const JobSpec& job, std::size_t index);
/// Returns the job of each source of packets; the last one if jobs share a source, 0 if it has none.
std::vector<std::uint8_t> job_by_source(const RunSpec& spec, std::size_t sources);

}  // namespace tributary
