#include "testbench/workload/sized_schedule.h"

#include <algorithm>
#include <utility>

#include "modules/base/units.h"
#include "testbench/collective/schedule/without_empty_chunks.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::Chunking;
using collective::Schedule;

/// Returns the bytes of each chunk of a collective on parts (all-gather, all-to-all ...): a chunk is the part of a rank, or
/// one of several chunks of that part.
std::vector<std::uint64_t> part_bytes(const JobSpec& job, Bytes message, bool pairs, int chunks) {
  const collective::Parts parts = parts_of(job, message);
  const std::uint64_t n = job.ranks.size();
  const int chunks_of_part = chunks / static_cast<int>(pairs ? n * n : n);
  std::vector<std::uint64_t> bytes;
  const auto add = [&](std::uint64_t part) {
    for (int p = 0; p < chunks_of_part; ++p) bytes.push_back(collective::chunk_range(p, chunks_of_part, part).bytes);
  };
  for (std::uint64_t i = 0; i < n; ++i) {
    if (!pairs) add(parts.bytes(i));
    // every rank sends and receives each slice of a message once, whatever their sizes
    for (std::uint64_t j = 0; pairs && j < n; ++j) add(parts.bytes((i + j) % n));
  }
  return bytes;
}

/// Returns the bytes of each chunk where each rank has a message of its own, or several chunks of it.
std::vector<std::uint64_t> whole_bytes(const JobSpec& job, Bytes message, int chunks) {
  const int each = chunks / static_cast<int>(job.ranks.size());
  std::vector<std::uint64_t> bytes;
  for (int c = 0; c < chunks; ++c) bytes.push_back(collective::chunk_range(c % each, each, message.value).bytes);
  return bytes;
}

SizedSchedule without_empty(const Schedule& whole, std::vector<std::uint64_t> bytes) {
  std::vector<bool> empty;
  for (const std::uint64_t b : bytes) empty.push_back(b == 0);
  return {std::find(empty.begin(), empty.end(), true) == empty.end() ? whole : without_chunks(whole, empty),
          std::move(bytes)};
}

}  // namespace

std::uint64_t SizedSchedule::slot_bytes() const {
  std::uint64_t most = 0;
  for (const std::uint64_t bytes : chunk_bytes) most = std::max(most, blocks_of(bytes) * block_bytes);
  return most;
}

SizedSchedule sized(const Schedule& whole, const JobSpec& job, Bytes message) {
  switch (collective_of(job.collective).chunking) {
    case Chunking::parts:
      return without_empty(whole, part_bytes(job, message, false, whole.chunks));
    case Chunking::pairs:
      return without_empty(whole, part_bytes(job, message, true, whole.chunks));
    case Chunking::neighbors:
      return without_empty(whole, whole_bytes(job, message, whole.chunks));
    case Chunking::signal:
      return {whole, {message.value}};
    case Chunking::even:
      break;
  }
  SizedSchedule even{without_empty_chunks(whole, message.value), {}};
  for (int c = 0; c < even.schedule.chunks; ++c)
    even.chunk_bytes.push_back(even.schedule.chunk_range(c, message.value).bytes);
  return even;
}

}  // namespace tributary
