#pragma once
/// The operations of a step, each as a job of its own.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/workload/buffers.h"

namespace tributary {

/// Equal of operations that differ in nothing but their places in the buffer.
using OperationKey = std::tuple<std::string, std::string, int, std::vector<int>, std::uint64_t>;
inline OperationKey key_of(const JobStep::Part& part) {
  return {part.collective, part.algorithm, part.root, part.members, part.bytes};
}

/// A collective of the step, of its own ranks.
JobSpec operation_of(const JobSpec& job, const JobStep::Part& part);
/// What the job asks of a machine: of a step each distinct collective, method and group once, whatever its size; else the
/// job itself.
std::vector<JobSpec> operations_of(const JobSpec& job);
/// All of them are the job's collective by its method, of all its ranks; so is a job without a step.
bool alike(const JobSpec& job);

/// Where each rank's memory begins, `memory` of the job's. Every operation has numbers of its own.
void fill_step(const JobSpec& job, const workload::DataSpec& data, const MemoryOfRank& memory);
/// Wrong elements of all operations.
std::uint64_t count_wrong_in_step(const JobSpec& job, const workload::DataSpec& data, const MemoryOfRank& memory);

}  // namespace tributary
