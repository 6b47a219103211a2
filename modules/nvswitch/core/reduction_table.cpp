#include "modules/nvswitch/core/reduction_table.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/random.h"
#include "modules/base/waiting_since.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {
using Kind = ReductionEvent::Kind;

std::size_t power_of_two_above(std::uint64_t n) {
  std::size_t size = 4;
  while (size < 2 * n) size *= 2;
  return size;
}
}  // namespace

ReductionTable::ReductionTable(std::uint64_t bytes, Tick timeout, bool rank_order)
    : timeout_(timeout),
      rank_order_(rank_order),
      entries_(bytes / block_bytes),
      buckets_(power_of_two_above(bytes / block_bytes)) {
  reset();
}

void ReductionTable::access(TableTransaction& t) {
  switch (t.command) {
    case TableTransaction::Command::push:
      push(t);
      break;
    case TableTransaction::Command::allocate:
      allocate(t);
      break;
    case TableTransaction::Command::collect:
      collect(t);
      break;
    case TableTransaction::Command::expire:
      expire(t);
      break;
    case TableTransaction::Command::finish:
      finish(t);
      break;
  }
  t.next_timeout = next_timeout();
}

void ReductionTable::push(TableTransaction& t) {
  const std::uint64_t address = nv(*t.packet).address;
  std::uint32_t slot = find(address, no_requester);
  if (rank_order_) return push_in_order(t, slot);
  if (slot != none) {
    unlink(slot);
    link_newest(slot, t.now);
    merge(slot, t.packet, t.now);
    if (complete(slot, t)) unlink(slot);
    return;
  }
  if (free_.empty()) {
    if (oldest_ == none) {
      t.answer = TableTransaction::Answer::bypassed;
      return misses(t.now, block_of(address));
    }
    t.count = entries_[oldest_].count;
    t.evicted = evict_oldest(Kind::evicted, t.now);
    evictions(t.now, block_of(nv(*t.evicted).address));
  }
  slot = insert(address, no_requester, t.expected, State::push, 1, t.now);
  link_newest(slot, t.now);
  entries_[slot].packet = t.packet;
  entries_[slot].count = nv(*t.packet).count;
  observe(Kind::allocated, slot, t.packet, t.now);
  t.answer = TableTransaction::Answer::inserted;
}

void ReductionTable::allocate(TableTransaction& t) {
  const unsigned units = rank_order_ ? t.expected : 1;
  if (occupancy_ + units > capacity() || (rank_order_ && !t.first_hop)) {
    t.answer = TableTransaction::Answer::refused;
    return t.first_hop ? stalls(t.now, block_of(t.address)) : misses(t.now, block_of(t.address));
  }
  observe(Kind::allocated, insert(t.address, t.requester, t.expected, State::pull, units, t.now), nullptr, t.now);
  t.answer = TableTransaction::Answer::inserted;
}

void ReductionTable::collect(TableTransaction& t) {
  const std::uint32_t slot = find(nv(*t.packet).address, t.requester);
  if (slot == none) {
    t.answer = TableTransaction::Answer::missed;
    return misses(t.now, block_of(nv(*t.packet).address));
  }
  if (rank_order_) return collect_in_order(t, slot);
  if (entries_[slot].packet == nullptr) {
    entries_[slot].packet = t.packet;
    entries_[slot].count = nv(*t.packet).count;
    t.answer = TableTransaction::Answer::merged;
    observe(Kind::merged, slot, t.packet, t.now);
  } else {
    merge(slot, t.packet, t.now);
  }
  complete(slot, t);
}

void ReductionTable::expire(TableTransaction& t) {
  t.answer = TableTransaction::Answer::nothing;
  if (next_timeout() > t.now) return;
  t.count = rank_order_ ? 1 : entries_[oldest_].count;
  t.evicted = rank_order_ ? evict_one(Kind::timed_out, t.now) : evict_oldest(Kind::timed_out, t.now);
  t.answer = TableTransaction::Answer::inserted;
  timeouts(t.now, block_of(nv(*t.evicted).address));
}

void ReductionTable::finish(TableTransaction& t) {
  const std::uint32_t slot = first_completed_;
  if (slot == none || entries_[slot].address != t.address || entries_[slot].requester != t.requester)
    refuse_finish(t.address);
  first_completed_ = entries_[slot].next_in_bucket;
  release(slot, t.now);
}

void ReductionTable::refuse_finish(std::uint64_t address) {
  throw std::logic_error("block " + std::to_string(block_of(address)) + " is finished, but not the next sum to leave");
}

void ReductionTable::merge(std::uint32_t slot, Packet* operand, Tick now) {
  Entry& e = entries_[slot];
  const NvHeader& h = nv(*operand);
  if (e.packet->payload != nullptr) apply(h.op, h.type, e.packet->payload, operand->payload, operand->payload_bytes);
  e.count = static_cast<std::uint16_t>(e.count + h.count);
  merges(now, block_of(e.address));
  observe(Kind::merged, slot, operand, now);
  operand->release();
}

bool ReductionTable::complete(std::uint32_t slot, TableTransaction& t) {
  Entry& e = entries_[slot];
  if (t.answer != TableTransaction::Answer::merged) t.answer = TableTransaction::Answer::merged;
  if (e.count < e.expected) return false;
  if (e.count > e.expected)
    throw std::logic_error("block " + std::to_string(e.address) + " counts " + std::to_string(e.count) + " operands of " +
                           std::to_string(e.expected));
  t.answer = TableTransaction::Answer::completed;
  t.result = e.packet;
  t.count = e.count;
  observe(Kind::completed, slot, nullptr, t.now);
  e.packet = nullptr;
  unhash(slot);
  e.state = State::completing;
  (first_completed_ == none ? first_completed_ : entries_[last_completed_].next_in_bucket) = slot;
  last_completed_ = slot;
  e.next_in_bucket = none;
  completions(t.now, block_of(e.address));
  return true;
}

Packet* ReductionTable::evict_oldest(Kind why, Tick now) {
  const std::uint32_t slot = oldest_;
  Packet* packet = entries_[slot].packet;
  observe(why, slot, nullptr, now);
  entries_[slot].packet = nullptr;
  unlink(slot);
  unhash(slot);
  release(slot, now);
  return packet;
}

// ---- slots

std::size_t ReductionTable::bucket(std::uint64_t address, std::uint16_t requester) const {
  const std::uint64_t x = (address / block_bytes ^ (std::uint64_t{requester} << 40)) * 0x9E3779B97F4A7C15ull;
  return (x >> 32) & (buckets_.size() - 1);
}

std::uint32_t ReductionTable::find(std::uint64_t address, std::uint16_t requester) const {
  std::uint32_t slot = buckets_[bucket(address, requester)];
  while (slot != none && (entries_[slot].address != address || entries_[slot].requester != requester))
    slot = entries_[slot].next_in_bucket;
  return slot;
}

std::uint32_t ReductionTable::insert(std::uint64_t address, std::uint16_t requester, std::uint16_t expected, State state,
                                     unsigned units, Tick now) {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  std::uint32_t& head = buckets_[bucket(address, requester)];
  entries_[slot] = {address, now, nullptr, head, none, none, requester, 0, expected, state};
  entries_[slot].units = static_cast<std::uint16_t>(units);
  head = slot;
  occupancy_probe(now, occupancy_ += units);
  allocations(now, block_of(address));
  return slot;
}

void ReductionTable::unhash(std::uint32_t slot) {
  std::uint32_t* link = &buckets_[bucket(entries_[slot].address, entries_[slot].requester)];
  while (*link != slot) link = &entries_[*link].next_in_bucket;
  *link = entries_[slot].next_in_bucket;
}

void ReductionTable::release(std::uint32_t slot, Tick now) {
  entries_[slot].state = State::free;
  entries_[slot].count = 0;
  free_.push_back(slot);
  occupancy_probe(now, occupancy_ -= entries_[slot].units);
  observe(Kind::freed, slot, nullptr, now);
}

void ReductionTable::link_newest(std::uint32_t slot, Tick now) {
  Entry& e = entries_[slot];
  e.stamp = now;
  e.older = newest_;
  e.newer = none;
  (newest_ == none ? oldest_ : entries_[newest_].newer) = slot;
  newest_ = slot;
}

void ReductionTable::unlink(std::uint32_t slot) {
  const Entry& e = entries_[slot];
  (e.older == none ? oldest_ : entries_[e.older].newer) = e.newer;
  (e.newer == none ? newest_ : entries_[e.newer].older) = e.older;
}

// ---- reports

void ReductionTable::show(Kind kind, std::uint32_t slot, const Packet* operand, Tick now) const {
  const Entry& e = entries_[slot];
  ReductionEvent event;
  event.kind = kind;
  event.entry = slot;
  event.block = block_of(e.address);
  event.count = e.count;
  event.expected = e.expected;
  if (e.packet != nullptr) event.type = nv(*e.packet).type;
  if (e.packet != nullptr && e.next_kept == none && !nv(*e.packet).flag) event.value = e.packet->payload;
  if (operand != nullptr) {
    event.source = nv(*operand).source;
    event.operands = nv(*operand).count;
    if (!nv(*operand).flag) event.operand = operand->payload;  // a flag carries no element
  }
  events(now, event);
}

std::vector<std::string> ReductionTable::waiting() const {
  std::vector<std::string> lines;
  for (const Entry& e : entries_)
    if (e.state != State::free)
      lines.push_back("block " + std::to_string(e.address / block_bytes) + " has " + std::to_string(e.count) + " of " +
                      std::to_string(e.expected) + " operands" +
                      (e.state == State::pull ? " for gpu" + std::to_string(e.requester) : "") + waiting_since(e.stamp));
  return lines;
}

void ReductionTable::reset() {
  for (Entry& e : entries_) {
    if (e.packet != nullptr) e.packet->release();
    for (std::uint32_t k = e.next_kept; k != none; k = kept_[k].next) kept_[k].packet->release();
    e = {};
  }
  kept_.clear();
  free_kept_ = none;
  std::fill(buckets_.begin(), buckets_.end(), none);
  free_.clear();
  for (std::uint32_t i = capacity(); i > 0; --i) free_.push_back(i - 1);
  oldest_ = newest_ = first_completed_ = last_completed_ = none;
  occupancy_ = 0;
}

void ReductionTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  TableProbes::describe(directory, prefix, capacity());
}

}  // namespace tributary
