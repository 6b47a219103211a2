#pragma once
/// Fills the memories of a job's ranks, and checks them.

#include <cstddef>
#include <functional>
#include <vector>

#include "testbench/workload/collective.h"
#include "testbench/workload/reference_data.h"

namespace tributary {

/// `memory(rank)` is where a rank's memory begins.
using MemoryOfRank = std::function<std::byte*(int rank)>;
/// Writes the operand of each piece where it lies.
void fill_pieces(const std::vector<Piece>& pieces, const workload::DataSpec& data, const MemoryOfRank& memory);
/// As Collective::initial says.
void fill_buffers(const JobSpec& job, Bytes message, const workload::DataSpec& data, const MemoryOfRank& memory);
/// Wrong elements in all of these pieces.
std::uint64_t count_wrong(const std::vector<Piece>& pieces, const workload::DataSpec& data, const MemoryOfRank& memory);

}  // namespace tributary
