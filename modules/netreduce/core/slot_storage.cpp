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

void SlotStorage::clear() {
  for (Late& late : late_)
    for (const Late::Frame& frame : late.frames) frame.packet->release();
  late_.clear();
  kept_headers_.clear();
  rings_.clear();
  banks_.clear();
  aggregation_headers_.clear();
  stored_headers_.clear();
  headers_.clear();
  use_ = {};
}

void SlotStorage::add(const AggregationRing& ring, std::uint32_t slots, bool with_data) {
  HeaderTransaction rows;
  rows.command = HeaderTransaction::Command::reserve;
  rows.slots = slots;
  rows.ranks = ring.ranks();
  headers_.configure(rows);
  for (const Ring& other : rings_)
    require_answer("headers",
                   rows.row >= other.first_row + std::uint64_t{other.slots} * other.config->ranks() ||
                       std::uint64_t{rows.row} + std::uint64_t{slots} * ring.ranks() <= other.first_row,
                   [&] { return name_of(ring) + " has rows of " + name_of(*other.config); });
  Ring added{&ring, slots, rows.row, 0, with_data, {}, {}};
  if (!rings_.empty()) {
    const Ring& last = rings_.back();
    added.payload_base = last.payload_base + std::uint64_t{last.slots} * last.config->ranks() * last.config->mtu;
  }
  if (ring.pattern.by_packet()) added.filled.resize(slots);
  if (with_data) added.values.resize(std::size_t{slots} * ring.mtu);
  banks_.require(ring.ranks());
  rings_.push_back(std::move(added));
}

void SlotStorage::store_header(const SlotCommit& c, std::uint32_t slot) {
  HeaderTransaction t;
  t.command = HeaderTransaction::Command::store;
  t.row = row(c.ring, slot, c.member);
  t.frame = c.frame;
  t.now = c.when;
  stored_headers_.answer(t);
}

void SlotStorage::store_kept_header(const SlotCommit& c, std::uint32_t slot) {
  kept_headers_.erase(std::find_if(kept_headers_.begin(), kept_headers_.end(),
                                   [&](const KeptHeader& kept) { return kept.commit.frame == c.frame; }));
  store_header(c, slot);
}

void SlotStorage::replace_by_kept(HeaderBuffer::Entry& entry, unsigned ring, std::uint32_t slot, unsigned member) const {
  for (const KeptHeader& kept : kept_headers_)
    if (kept.slot == slot && kept.commit.ring == ring && kept.commit.member == member)
      entry = HeaderBuffer::entry_of(*kept.commit.frame);
}

Tick SlotStorage::store_payload(const SlotCommit& c, std::uint32_t slot) {
  if (std::vector<Filled>& filled = rings_[c.ring].filled; !filled.empty()) {
    const unsigned data = c.frame->payload_bytes - std::min<unsigned>(c.frame->payload_bytes, header_bytes(c.offset));
    const std::uint64_t bit = std::uint64_t{1} << c.member;
    filled[slot].members = data == 0 ? filled[slot].members & ~bit : filled[slot].members | bit;
    if (data != 0) filled[slot].bytes = static_cast<std::uint16_t>(data);
  }
  const unsigned bytes = c.frame->payload_bytes;
  use_.written += bytes;
  if (!rings_[c.ring].with_data || c.frame->payload == nullptr) return c.when;
  return banks_.write(c.member, address(c.ring, slot, c.member), c.frame->payload, bytes, c.when, beats(bytes));
}

SlotStorage::Header SlotStorage::header(unsigned ring, std::uint32_t slot, unsigned member, Tick now) {
  HeaderTransaction t;
  t.row = row(ring, slot, member);
  t.now = now;
  const Tick when = headers_.answer(t);
  check_header(t, *rings_[ring].config, member);
  return {t.entry, when};
}

void SlotStorage::copy_aggregation_header(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to, Tick now) {
  const std::byte* const direct = banks_.direct();
  if (direct != nullptr) {
    std::memcpy(to, direct + address(ring, slot, member), AggregationHeader::bytes);
    return;
  }
  const auto kept = aggregation_headers_.find(address(ring, slot, 0));
  if (kept == aggregation_headers_.end())
    banks_.read_at_once(address(ring, slot, member), to, AggregationHeader::bytes, now);
  else
    std::memcpy(to, kept->second.data() + std::size_t{member} * AggregationHeader::bytes, AggregationHeader::bytes);
}

/// The headers are those of the ranks that have sent an operand.
void SlotStorage::keep_aggregation_headers(unsigned ring, std::uint32_t slot, const CombineTransaction& t) {
  const Ring& r = rings_[ring];
  if (t.operand == nullptr) return;
  std::vector<std::byte>& kept = aggregation_headers_[address(ring, slot, 0)];
  kept.resize(std::size_t{r.config->ranks()} * AggregationHeader::bytes);
  const std::uint64_t members = r.filled.empty() ? ~std::uint64_t{0} : r.filled[slot].members;
  for (unsigned m = 0, i = 0; m < r.config->ranks() && i < t.operands; ++m)
    if ((members >> m & 1) != 0)
      std::memcpy(kept.data() + std::size_t{m} * AggregationHeader::bytes, t.operand[i++], AggregationHeader::bytes);
}

// ---- sums whose bytes follow

bool SlotStorage::is_late(unsigned ring, std::uint32_t slot) const {
  return std::any_of(late_.begin(), late_.end(), [this, s = sum(ring, slot)](const Late& late) { return late.sum == s; });
}

void SlotStorage::fill_later(const std::byte* sum, Packet& frame, unsigned skip) {
  if (frame.payload == nullptr) return;
  for (auto late = late_.rbegin(); late != late_.rend(); ++late) {
    if (late->sum != sum || (framed_ != 0 && late->ticket != framed_)) continue;
    frame.acquire();
    return late->frames.push_back({&frame, skip});
  }
}

void SlotStorage::fill_as(const Packet& frame, Packet& copy, unsigned skip) {
  for (Late& late : late_)
    for (const Late::Frame& f : late.frames) {
      if (f.packet != &frame) continue;
      copy.acquire();
      return late.frames.push_back({&copy, skip});
    }
}

/// A slot that is added again has several entries.
void SlotStorage::sum_complete(Ticket ticket) {
  const auto found = std::find_if(late_.begin(), late_.end(), [&](const Late& late) { return late.ticket == ticket; });
  if (found == late_.end()) return;
  for (const Late::Frame& f : found->frames) {
    std::memcpy(f.packet->payload + f.skip, found->sum + f.skip, f.packet->payload_bytes - f.skip);
    f.packet->release();
  }
  late_.erase(found);
}

}  // namespace tributary
