#include "modules/netreduce/core/cl_table.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace tributary {
namespace {

/// Returns the distance from message `b` to message `a`, as serial numbers of 32 bits.
std::int32_t ahead(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b); }

bool before(const ClTable::Entry& e, const ConnectionKey& key) { return e.key < key; }

}  // namespace

ClTable::ClTable(unsigned window, const AggregationParams& rules)
    : range_(static_cast<std::int32_t>(rules.clt_range == ConnectionRange::window ? window : 2 * window - 1)),
      forward_only_(rules.clt_order == ConnectionOrder::forward) {
  if (window == 0) throw std::invalid_argument("a window must have at least 1 message");
}

SlotAddress ClTable::update(const ConnectionKey& key, const AggregationHeader& header, std::uint32_t psn, Tick now) {
  if (header.message_packets == 0) throw std::invalid_argument("a message must have at least 1 packet");
  auto e = std::lower_bound(entries_.begin(), entries_.end(), key, before);
  const bool known = e != entries_.end() && e->key == key;
  if (known && forward_only_ && ahead(header.message, e->message) < 0) {
    behind(now, header.message);
  } else {
    if (!known) e = entries_.insert(e, Entry{});
    *e = {key, header.ring, header.rank, header.message_packets, header.message, psn};
    updates(now, header.message);
    written(now, *e);
  }
  return {SlotAddress::Verdict::found, header.ring, header.rank, header.message, 0};
}

SlotAddress ClTable::find(const ConnectionKey& key, std::uint32_t psn, Tick now) const {
  SlotAddress address;
  const Entry* e = entry(key);
  if (e == nullptr) {
    unknown(now, psn);
    return address;
  }
  const std::int32_t length = e->message_packets;
  const std::int32_t distance = Psn::minus(psn, e->first_psn);
  const std::int32_t q = (distance >= 0 ? distance : distance - length + 1) / length;
  address.verdict = q > 0         ? SlotAddress::Verdict::refused
                    : q < -range_ ? SlotAddress::Verdict::stale
                                  : SlotAddress::Verdict::found;
  address.ring = e->ring;
  address.rank = e->rank;
  address.message = e->message + static_cast<std::uint32_t>(q);
  address.offset = static_cast<std::uint32_t>(distance - q * length);
  if (q > 0) refused(now, psn);
  if (q < -range_) stale(now, psn);
  return address;
}

const ClTable::Entry* ClTable::entry(const ConnectionKey& key) const {
  const auto e = std::lower_bound(entries_.begin(), entries_.end(), key, before);
  return e == entries_.end() || !(e->key == key) ? nullptr : &*e;
}

std::vector<std::string> ClTable::behind_others() const {
  constexpr std::size_t most = 8;
  std::map<std::uint16_t, std::uint32_t> foremost;  // latest message, by ring
  for (const Entry& e : entries_) {
    std::uint32_t& message = foremost.emplace(e.ring, e.message).first->second;
    if (ahead(e.message, message) > 0) message = e.message;
  }
  std::vector<std::string> lines;
  std::size_t more = 0;
  for (const Entry& e : entries_) {
    const std::int32_t lag = ahead(foremost.at(e.ring), e.message);
    if (lag == 0 || (lines.size() == most && ++more != 0)) continue;
    lines.push_back("ring" + std::to_string(e.ring) + ": connection " + std::to_string(e.key.source) + ">" +
                    std::to_string(e.key.destination) + " at message " + std::to_string(e.message) + ", " +
                    std::to_string(lag) + " behind");
  }
  if (more != 0) lines.push_back(std::to_string(more) + " more connections are behind");
  return lines;
}

void ClTable::save(StateWriter& out) const {
  out(entries_.size());
  for (const Entry& e : entries_)
    out(e.key.source, e.key.destination, e.key.queue_pair, e.ring, e.rank, e.message_packets, e.message, e.first_psn);
}

void ClTable::load(StateReader& in) {
  std::size_t count = 0;
  in(count);
  entries_.resize(count);
  for (Entry& e : entries_)
    in(e.key.source, e.key.destination, e.key.queue_pair, e.ring, e.rank, e.message_packets, e.message, e.first_psn);
}

void ClTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "written", written, "a connection's entry is written");
  directory.add_signal(prefix + "update", updates, SignalKind::strobe, 32, "a connection's entry is written (MsgID)");
  directory.add_signal(prefix + "behind", behind, SignalKind::strobe, 32, "a first packet is older than its entry (MsgID)");
  directory.add_signal(prefix + "unknown", unknown, SignalKind::strobe, 24, "a packet without an entry is dropped (PSN)");
  directory.add_signal(prefix + "refused", refused, SignalKind::strobe, 24, "a packet beyond its entry is dropped (PSN)");
  directory.add_signal(prefix + "stale", stale, SignalKind::strobe, 24,
                       "a packet of a message that is too old is dropped (PSN)");
}

}  // namespace tributary
