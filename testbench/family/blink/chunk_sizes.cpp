#include "testbench/family/blink/chunk_sizes.h"

#include <algorithm>

namespace tributary {

using collective::ChunkTuner;

Bytes ChunkSizes::chunk(const JobSpec& job, Bytes message) const {
  if (set_) return *set_;
  if (predicted_) return predicted_(job, message);
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
  tuners_.try_emplace(key, ChunkTuner::of_messages(row.size_bytes)).first->second.measured(row.algbw_GBps());
}

}  // namespace tributary
