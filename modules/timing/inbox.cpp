#include "modules/timing/inbox.h"

#include <algorithm>

namespace tributary {
namespace {

// A window covers about one bucket, and few buckets lie ahead. Wide buckets are harmless, as packets may be accepted early.
unsigned bucket_bits(Tick delay, const LinkParams& link) {
  const Tick width = std::max(link.latency.value, delay / 8);
  unsigned bits = 0;
  while (width >> (bits + 1) != 0) ++bits;
  return bits;
}

}  // namespace

Inbox::Inbox(Tick delay, const LinkParams& link, const Arena& arena)
    : arena_(arena), spare_(arena_.of<Spares>()), delay_(delay), shift_(bucket_bits(delay, link)), buckets_(16) {}

// After a long idle period the first bucket is far in the past; on slow links a packet may be far in the future.
void Inbox::make_room(std::uint64_t index) {
  std::vector<Bucket> used;
  std::uint64_t first = index, last = index;
  for (Bucket& b : buckets_) {
    if (b.packets.empty()) continue;
    first = std::min(first, b.first >> shift_);
    last = std::max(last, b.first >> shift_);
    used.push_back(std::move(b));
    b = {};
  }
  std::size_t size = buckets_.size();
  while (last - first >= size) size *= 2;
  buckets_.resize(size);
  first_ = first;
  for (Bucket& b : used) std::swap(bucket(b.first >> shift_), b);
}

void Inbox::reset() {
  for (Bucket& b : buckets_) {
    for (const LinkArrival& p : b.packets) p.packet->release();
    b.calls.clear();
    b.packets.clear();
    b.first = never;
  }
  first_ = held_ = 0;
  calls_.clear();
  credits_.clear();
}

}  // namespace tributary
