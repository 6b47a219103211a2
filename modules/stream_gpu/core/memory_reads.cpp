#include "modules/stream_gpu/core/memory_reads.h"

namespace tributary {

void MemoryReads::add(const Read& read) {
  reads_.insert_sorted([](const Read& a, const Read& b) { return a.ready < b.ready; }, read.ready, read.copy, read.lane);
}

std::optional<MemoryReads::Read> MemoryReads::take(Tick now) {
  if (next() > now) return {};
  const Read due = reads_.front();
  reads_.pop();
  return due;
}

}  // namespace tributary
