#pragma once
/// What the ranks of a job hold before it runs, and what they must hold after it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "testbench/run/run_spec.h"
#include "testbench/workload/reference_data.h"

namespace tributary {

/// Bytes at one place in the memory of some ranks: elements `first_element` ... of the sum over `operands`.
struct Piece {
  std::vector<int> at;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t first_element = 0;
  std::vector<int> operands;
};

/// What every rank holds of its own operand at the start. Where something is to arrive, it holds what is wrong there.
std::vector<Piece> operands_of(const JobSpec& job, Bytes message);
/// What the collective promises. A barrier by push or pull leaves the sum of its packets, any other leaves data alone; so
/// does a multicast outside of its group. What a reduce or a gather leaves beyond the root is not checked.
std::vector<Piece> results_of(const JobSpec& job, Bytes message);

/// `memory(rank)` is where a rank's memory begins.
using MemoryOfRank = std::function<std::byte*(int rank)>;
void fill_buffers(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory);
/// Wrong elements over all ranks.
std::uint64_t count_wrong(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory);

}  // namespace tributary
