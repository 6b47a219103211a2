#pragma once
/// What runs at once: one task for each job.

#include <vector>

#include "testbench/run/run_spec.h"
#include "testbench/workload/reference_data.h"

namespace tributary {

struct Task {
  std::size_t index = 0;  ///< of the job
  const JobSpec* job = nullptr;
  std::string label;  ///< of the message
  Bytes size;
  unsigned iteration = 0;
};

/// Message `number` of every job: iteration number % repeats of an item. They point into `spec`.
std::vector<Task> tasks_of(const RunSpec& spec, std::size_t number);
/// What its ranks hold: every job has numbers of its own, so that what strays from one into another is found.
workload::DataSpec data_of(const RunSpec& spec, const Task& task);
/// For each of the sources of packets the job that it belongs to, of those that share it the last; 0 if none.
std::vector<std::uint8_t> job_by_source(const RunSpec& spec, std::size_t sources);

}  // namespace tributary
