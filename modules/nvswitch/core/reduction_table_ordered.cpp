/// ReductionTable in rank order: stores operands and adds them in the order of ranks, so that the result has the same bits
/// whatever the timing.

#include <stdexcept>
#include <utility>

#include "modules/nvswitch/core/reduction_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {
unsigned rank_of(const Packet* p) { return nv(*p).rank; }
}  // namespace

void ReductionTable::push_in_order(TableTransaction& t, std::uint32_t slot) {
  const std::uint64_t address = nv(*t.packet).address;
  const bool hit = slot != none;
  const bool last = hit && entries_[slot].count + 1 == t.expected;  // goes to the ALUs and is not stored
  const bool full = occupancy_ == capacity() && !last;
  if (full && hit && oldest_ == slot) entries_[slot].broken = true;  // it cannot make room for itself
  if ((full && oldest_ == none) || (hit && entries_[slot].broken)) {
    t.answer = TableTransaction::Answer::bypassed;
    return misses(t.now, block_of(address));
  }
  if (full) {
    t.evicted = evict_one(ReductionEvent::Kind::evicted, t.now);
    t.count = 1;
    evictions(t.now, block_of(nv(*t.evicted).address));
  }
  if (hit)
    unlink(slot);
  else
    slot = insert(address, no_requester, t.expected, State::push, 0, t.now);
  link_newest(slot, t.now);
  if (!last) use(slot, 1, t.now);
  keep(slot, t.packet, t.now);
  t.answer = hit ? TableTransaction::Answer::merged : TableTransaction::Answer::inserted;
  if (!hit) return;
  merges(t.now, block_of(address));
  if (last) add_in_order(slot);
  if (complete(slot, t)) unlink(slot);
}

void ReductionTable::collect_in_order(TableTransaction& t, std::uint32_t slot) {
  keep(slot, t.packet, t.now);
  if (entries_[slot].count > 1) merges(t.now, block_of(entries_[slot].address));
  if (entries_[slot].count == entries_[slot].expected) add_in_order(slot);
  complete(slot, t);
}

/// Inserts the operand after those of lower rank; entry.packet holds the lowest.
void ReductionTable::keep(std::uint32_t slot, Packet* operand, Tick now) {
  Entry& e = entries_[slot];
  if (nv(*operand).count != 1) throw std::logic_error("an operand to be added in rank order is a partial sum");
  const auto kind =
      ++e.count == 1 && e.state == State::push ? ReductionEvent::Kind::allocated : ReductionEvent::Kind::merged;
  if (e.packet == nullptr) {
    e.packet = operand;
    observe(kind, slot, operand, now);
    return;
  }
  const Packet* const added = operand;
  std::uint32_t node = free_kept_;
  if (node == none) {
    node = static_cast<std::uint32_t>(kept_.size());
    kept_.push_back({});
  } else {
    free_kept_ = kept_[node].next;
  }
  if (rank_of(operand) < rank_of(e.packet)) std::swap(operand, e.packet);
  std::uint32_t* link = &e.next_kept;
  while (*link != none && rank_of(kept_[*link].packet) < rank_of(operand)) link = &kept_[*link].next;
  kept_[node] = {operand, *link};
  *link = node;
  observe(kind, slot, added, now);
}

/// Removes the operand of the lowest rank; the next one replaces it.
Packet* ReductionTable::take_first(std::uint32_t slot) {
  Entry& e = entries_[slot];
  Packet* first = e.packet;
  e.packet = nullptr;
  --e.count;
  if (e.next_kept == none) return first;
  const std::uint32_t node = e.next_kept;
  e.packet = kept_[node].packet;
  e.next_kept = kept_[node].next;
  kept_[node].next = free_kept_;
  free_kept_ = node;
  return first;
}

Packet* ReductionTable::evict_one(ReductionEvent::Kind why, Tick now) {
  const std::uint32_t slot = oldest_;
  Packet* operand = take_first(slot);
  observe(why, slot, nullptr, now);
  entries_[slot].broken = true;
  use(slot, -1, now);
  if (entries_[slot].packet != nullptr) return operand;
  unlink(slot);
  unhash(slot);
  release(slot, now);
  return operand;
}

/// The packet of the lowest rank holds the sum; the units stay in use until it has left.
void ReductionTable::add_in_order(std::uint32_t slot) {
  Entry& e = entries_[slot];
  const std::uint16_t count = e.count;
  Packet* sum = take_first(slot);
  const NvHeader& h = nv(*sum);
  while (e.packet != nullptr) {
    Packet* operand = take_first(slot);
    if (sum->payload != nullptr) apply(h.op, h.type, sum->payload, operand->payload, operand->payload_bytes);
    operand->release();
  }
  e.packet = sum;
  e.count = count;
}

void ReductionTable::use(std::uint32_t slot, int units, Tick now) {
  entries_[slot].units = static_cast<std::uint16_t>(entries_[slot].units + units);
  occupancy_ += static_cast<std::uint32_t>(units);
  occupancy_probe(now, occupancy_);
}

}  // namespace tributary
