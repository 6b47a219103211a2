#include "modules/streams/core/memory_rate.h"

#include <algorithm>

#include "modules/base/host/wide.h"

namespace tributary {

MemoryRate::Service MemoryRate::request(MemoryUse use, std::uint64_t bytes, Tick now) {
  if (!limited() || bytes == 0) return {now, now};
  const Tick begin = std::max(now, free_at_);
  const Wide time = static_cast<Wide>(bytes) * 1'000'000'000'000ull;
  const Tick lasts = static_cast<Tick>((time + rate_ - 1) / rate_);
  busy_(begin, 1);
  free_at_ = begin + lasts;
  counts_.bytes[static_cast<std::size_t>(use)] += bytes;
  counts_.busy += lasts;
  bytes_(begin, bytes);
  busy_(free_at_, 0);
  return {begin, free_at_};
}

void MemoryRate::reset() {
  free_at_ = 0;
  counts_ = {};
}

void MemoryRate::describe(ProbeDirectory& directory, const std::string& prefix) {
  if (!limited()) return;
  directory.add_signal(prefix + "memory.busy", busy_, SignalKind::level, 1, "the memory serves a request");
  directory.add_signal(prefix + "memory.bytes", bytes_, SignalKind::strobe, 48, "a request begins (its bytes)");
}

}  // namespace tributary
