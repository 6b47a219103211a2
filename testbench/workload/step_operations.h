#pragma once
/// The operations of a step as separate jobs.

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/workload/buffers.h"

namespace tributary {

/// Equal for operations that differ only in their range of the buffer.
using OperationKey = std::tuple<std::string, std::string, int, std::vector<int>, std::uint64_t, std::uint64_t>;
inline OperationKey key_of(const JobStep::Part& part) {
  return {part.collective, part.algorithm, part.root, part.members, part.bytes, part.part_stride};
}

/// Returns the job of one collective of the step, among its own ranks.
JobSpec operation_of(const JobSpec& job, const JobStep::Part& part);
/// Returns the jobs that a machine must support: for a step, each distinct collective, algorithm and group once,
/// independent of size; else the job itself.
std::vector<JobSpec> operations_of(const JobSpec& job);
/// True if all operations are the job's collective and algorithm among all its ranks, or the job has no step.
bool alike(const JobSpec& job);

/// Fills the memory of the job's ranks. No two operations hold the same values.
void fill_step(const JobSpec& job, const workload::DataSpec& data, const MemoryOfRank& memory, unsigned threads = 1);
/// Distance of the results of an operation from its range of the buffer.
using ResultDistance = std::function<std::uint64_t(const JobStep::Part& part)>;
/// Returns the number of wrong elements of all operations.
std::uint64_t count_wrong_in_step(const JobSpec& job, const workload::DataSpec& data, const MemoryOfRank& memory,
                                  const ResultDistance& distance, unsigned threads = 1);

}  // namespace tributary
