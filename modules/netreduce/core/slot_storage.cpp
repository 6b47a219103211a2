#include "modules/netreduce/core/slot_storage.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "modules/netreduce/core/part_answers.h"

namespace tributary {
namespace {

/// Checks a loaded header: a frame takes its size, and a host its connection, from it.
void check_header(const HeaderTransaction& t, const AggregationRing& ring, unsigned member) {
  const auto place = [&] { return name_of(ring) + ", rank " + std::to_string(ring.members[member].rank); };
  require_answer("headers", t.entry.payload_bytes <= ring.mtu, [&] {
    return place() + ": a payload of " + std::to_string(t.entry.payload_bytes) + " B; legal: up to " +
           std::to_string(ring.mtu) + " B";
  });
  require_answer("headers", ring.role == TreeRole::root || connection_of(t.entry.header) == ring.members[member].connection,
                 [&] { return place() + ": a header of another connection than was stored"; });
}

}  // namespace

void SlotStorage::add(const AggregationRing& ring, std::uint32_t slots, bool with_data) {
  HeaderTransaction rows;
  rows.command = HeaderTransaction::Command::reserve;
  rows.slots = slots;
  rows.ranks = ring.ranks();
  headers_.access(rows);
  for (const Ring& other : rings_)
    require_answer("headers",
                   rows.row >= other.first_row + std::uint64_t{other.slots} * other.config->ranks() ||
                       std::uint64_t{rows.row} + std::uint64_t{slots} * ring.ranks() <= other.first_row,
                   [&] { return name_of(ring) + " has rows of " + name_of(*other.config); });
  Ring added{&ring, slots, rows.row, 0, with_data, {}};
  if (!rings_.empty()) {
    const Ring& last = rings_.back();
    added.payload_base = last.payload_base + std::uint64_t{last.slots} * last.config->ranks() * last.config->mtu;
  }
  if (with_data) added.values.resize(std::size_t{slots} * ring.mtu);
  rings_.push_back(std::move(added));
}

void SlotStorage::store_header(const SlotCommit& c, std::uint32_t slot) {
  HeaderTransaction t;
  t.command = HeaderTransaction::Command::store;
  t.row = row(c.ring, slot, c.member);
  t.frame = c.frame;
  t.now = c.when;
  headers_.access(t);
}

Tick SlotStorage::store_payload(const SlotCommit& c, std::uint32_t slot) {
  if (!rings_[c.ring].with_data || c.frame->payload == nullptr) return 0;
  return payloads_.write(address(c.ring, slot, c.member), c.frame->payload, c.frame->payload_bytes, c.when);
}

SlotStorage::Header SlotStorage::header(unsigned ring, std::uint32_t slot, unsigned member, Tick now) {
  HeaderTransaction t;
  t.row = row(ring, slot, member);
  t.now = now;
  const Tick extra = headers_.access(t);
  check_header(t, *rings_[ring].config, member);
  return {t.entry, extra};
}

void SlotStorage::copy_aggregation_header(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to) {
  const std::byte* const direct = payloads_.direct();
  if (direct != nullptr)
    std::memcpy(to, direct + address(ring, slot, member), AggregationHeader::bytes);
  else
    payloads_.read(address(ring, slot, member), to, AggregationHeader::bytes, 0);
}

/// All banks are read in parallel.
void SlotStorage::read_operands(unsigned ring, std::uint32_t slot, CombineTransaction& t) {
  Ring& r = rings_[ring];
  const unsigned members = r.config->ranks(), mtu = r.config->mtu;
  const std::byte* const direct = payloads_.direct();
  if (!r.with_data) {
    for (unsigned m = 0; m < members && direct == nullptr; ++m)
      t.reading = std::max(t.reading, payloads_.read(address(ring, slot, m), nullptr, mtu, t.now));
    return;
  }
  operands_.resize(members);
  if (direct == nullptr) operand_bytes_.resize(std::size_t{members} * mtu);
  for (unsigned m = 0; m < members; ++m) {
    std::byte* const copy = operand_bytes_.data() + std::size_t{m} * mtu;
    operands_[m] = direct != nullptr ? direct + address(ring, slot, m) : copy;
    if (direct == nullptr) t.reading = std::max(t.reading, payloads_.read(address(ring, slot, m), copy, mtu, t.now));
  }
  t.operand = operands_.data();
  t.sum = r.values.data() + std::size_t{slot} * mtu;
}

}  // namespace tributary
