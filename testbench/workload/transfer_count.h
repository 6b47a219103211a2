#pragma once
/// Number of chunks that the ranks of a software collective send, from its sizes alone.

#include <algorithm>
#include <cmath>
#include <limits>

#include "testbench/workload/collective.h"

namespace tributary {

/// Returns the number of chunks of a schedule in which every rank sends a share of the message to every other rank in each
/// pass, or, with a root, every other rank sends or receives the whole message. Chunks are cut into slices of `slice` bytes.
inline double transfer_count(const JobSpec& job, Bytes message,
                             std::uint64_t slice = std::numeric_limits<std::uint64_t>::max()) {
  const Collective& collective = collective_of(job.collective);
  const auto ranks = static_cast<double>(job.ranks.size()), bytes = static_cast<double>(message.value);
  const double chunks = collective.rooted ? 1 : std::min(ranks, std::max(1.0, bytes / block_bytes));
  const double slices = std::max(1.0, std::ceil(bytes / chunks / static_cast<double>(slice)));
  return collective.passes * chunks * slices * (ranks - 1);
}

}  // namespace tributary
