#include "modules/netreduce/core/slot_pool.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

SlotPool::SlotPool(const std::vector<AggregationRing>& rings, std::uint32_t messages)
    : capacity_(messages), free_(messages) {
  if (messages == 0) throw std::invalid_argument("a pool needs slots for at least 1 message");
  for (const AggregationRing& ring : rings) {
    Ring added{ring.ring, ring.message_packets, {}, 0, 0, false};
    for (const AggregationRing::Member& m : ring.members) added.members.push_back({m.answer, m.first_psn, 0});
    rings_.push_back(std::move(added));
  }
}

/// Returns the number of messages whose slots are reserved for other rings that wait longer.
std::uint32_t SlotPool::reserved(unsigned ring) const {
  return static_cast<std::uint32_t>(std::find(queue_.begin(), queue_.end(), ring) - queue_.begin());
}

SlotPool::Answer SlotPool::admit(unsigned index, std::uint32_t message) {
  Ring& ring = rings_[index];
  if (message < ring.finished) return Answer::finished;
  if (message < ring.granted) return Answer::granted;
  if (message > ring.granted) return Answer::waits;
  if (free_ > reserved(index)) {
    --free_;
    ++ring.granted;
    if (ring.waits) queue_.erase(std::find(queue_.begin(), queue_.end(), index));
    ring.waits = false;
    return Answer::granted;
  }
  if (!ring.waits) {
    ring.waits = true;
    queue_.push_back(index);
    ++waits_;
  }
  return Answer::waits;
}

void SlotPool::acknowledged(const ConnectionKey& answer, std::uint32_t psn) {
  for (Ring& ring : rings_)
    for (Member& m : ring.members) {
      if (!(m.answer == answer)) continue;
      const std::uint32_t next = Psn::add(m.first_psn, static_cast<std::int64_t>(m.packets & Psn::mask));
      const std::int32_t more = Psn::minus(Psn::add(psn, 1), next);
      if (more > 0) m.packets += static_cast<std::uint32_t>(more);
      return finish(ring);
    }
}

/// Frees the slots of messages that all ranks have acknowledged.
void SlotPool::finish(Ring& ring) {
  std::uint64_t least = ring.members.front().packets;
  for (const Member& m : ring.members) least = std::min(least, m.packets);
  const auto finished = static_cast<std::uint32_t>(least / ring.message_packets);
  const std::uint32_t until = std::min(finished, ring.granted);
  if (until <= ring.finished) return;
  free_ += until - ring.finished;
  ring.finished = until;
}

std::vector<std::string> SlotPool::waiting() const {
  std::vector<std::string> lines;
  for (const unsigned index : queue_)
    lines.push_back("ring" + std::to_string(rings_[index].number) + " waits for the slots of message " +
                    std::to_string(rings_[index].granted) + "; " + std::to_string(capacity_ - free_) +
                    " messages of all rings have slots");
  return lines;
}

}  // namespace tributary
