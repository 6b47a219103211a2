#include "testbench/family/blink/chunk_sizes.h"

#include <algorithm>

namespace tributary {

using collective::ChunkTuner;

Bytes ChunkSizes::chunk(const JobSpec& job, Bytes message) const {
  if (set_) return *set_;
  const auto known = tuners_.find({job, message});
  return bytes(known == tuners_.end() ? ChunkTuner::standard_first : known->second.chunk());
}

Choice ChunkSizes::choice(const JobSpec& job, Bytes message) const {
  const Bytes size = chunk(job, message);
  return {"chunk", static_cast<double>(size.value), to_string(size)};
}

void ChunkSizes::measured(const JobSpec& job, const ResultRow& row) {
  const MessageKey key(job, bytes(row.size_bytes));
  if (row.iteration == 0u) tuners_.erase(key);
  const std::uint64_t first = ChunkTuner::standard_first;
  tuners_.try_emplace(key, first, std::max(first, row.size_bytes)).first->second.measured(row.algbw_GBps());
}

}  // namespace tributary
