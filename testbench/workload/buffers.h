#pragma once
/// Fills and checks the memories of a job's ranks.

#include <cstddef>
#include <functional>
#include <vector>

#include "testbench/workload/collective.h"
#include "testbench/workload/reference_data.h"

namespace tributary {

/// `memory(rank)` returns the beginning of a rank's memory; null if another process has it, which fills and checks it.
using MemoryOfRank = std::function<std::byte*(int rank)>;
/// Writes the operand of each range to its address. `threads`, here and below: threads that do the work, at most.
void fill_ranges(const std::vector<OperandRange>& ranges, const workload::DataSpec& data, const MemoryOfRank& memory,
                 unsigned threads = 1);
/// Returns the ranges, which are those of the first kernel, and the same ranges of the kernels after it. Each kernel has
/// buffers and elements of its own (JobSpec::back_to_back).
std::vector<OperandRange> of_all_kernels(const JobSpec& job, Bytes message, std::vector<OperandRange> ranges);
/// Writes the operands given by Collective::initial, for all kernels.
void fill_buffers(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory,
                  unsigned threads = 1);
/// Returns the number of wrong elements in all ranges.
std::uint64_t count_wrong(const std::vector<OperandRange>& ranges, const workload::DataSpec& data,
                          const MemoryOfRank& memory, unsigned threads = 1);

}  // namespace tributary
