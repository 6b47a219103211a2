#include "modules/netreduce/core/accelerator_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/ethernet/core/aggregation_bytes.h"

namespace tributary {
namespace {

std::string name_of(const AggregationRing& r) { return "ring " + std::to_string(r.ring); }

AggregationHeader tag_of(const RoceHeader& h, unsigned message_packets) {
  return {h.ring, h.rank, h.extra, static_cast<std::uint16_t>(message_packets)};
}

const char* why_of(SlotAddress::Verdict verdict) {
  if (verdict == SlotAddress::Verdict::refused) return "dropped: the first packet of its message is missing";
  return verdict == SlotAddress::Verdict::stale ? "dropped: its message is too old for its connection's entry"
                                                : "dropped: no first packet of its connection has arrived";
}

SlotEvent::Kind kind_of(StateRecord::Arrival arrival) {
  if (arrival == StateRecord::Arrival::completed) return SlotEvent::Kind::completed;
  return arrival == StateRecord::Arrival::stored ? SlotEvent::Kind::stored : SlotEvent::Kind::duplicate;
}

/// Throws std::logic_error if a part, which may be a user's, answers with a place that does not exist.
template <class Place>
void require(const char* part, std::uint64_t place, std::uint64_t places, Place&& name) {
  if (__builtin_expect(place < places, 1)) return;
  throw std::logic_error(std::string(part) + " breaks the rule `answer`: " + name() + " " + std::to_string(place) +
                         "; legal: below " + std::to_string(places));
}

/// Throws std::logic_error if `right` is false: a part, which may be a user's, has answered wrongly.
template <class What>
void require_answer(const char* part, bool right, What&& what) {
  if (__builtin_expect(right, 1)) return;
  throw std::logic_error(std::string(part) + " breaks the rule `answer`: " + what());
}

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

/// Checks a translation: a sum goes up from a leaf, and from a root to its members.
void check_translation(const CtTransaction& t, const AggregationRing& ring) {
  require_answer("ctt", t.entry != nullptr || ring.role != TreeRole::root,
                 [&] { return name_of(ring) + ": no translation of a connection that was preset"; });
  if (t.entry == nullptr) return;
  for (const CtTarget& target : t.entry->to) {
    const bool member = std::any_of(ring.members.begin(), ring.members.end(), [&](const AggregationRing::Member& m) {
      return m.connection.source == target.connection.destination;
    });
    require_answer("ctt", ring.role == TreeRole::root ? member : target.connection == ring.upward(), [&] {
      return name_of(ring) + ": a translation to station " + std::to_string(target.connection.destination) +
             "; legal: " + (ring.role == TreeRole::root ? "members of the ring" : "the accelerator above");
    });
  }
}

}  // namespace

AcceleratorMemory AcceleratorMemory::of(const AggregationRing& ring, const AggregationParams& rules, SlotValue value) {
  const std::uint64_t slots =
      std::uint64_t{rules.slots == SlotCount::window ? ring.window : 2 * ring.window} * ring.message_packets;
  AcceleratorMemory m;
  m.payload = slots * ring.ranks() * ring.mtu;
  m.headers = slots * ring.ranks() * HeaderBuffer::entry_bytes;
  // Each slot has its message, a done bit, and two bits for each rank: has arrived, has arrived again in this round.
  m.state = (slots * (32 + 1 + 2 * ring.ranks()) + 7) / 8;
  m.value = value == SlotValue::stored ? slots * ring.mtu : 0;
  return m;
}

AcceleratorMemory AcceleratorMemory::of_queues(const AcceleratorParams& params, unsigned ports) {
  AcceleratorMemory m;
  for (const std::optional<Bytes>& each : {params.input_fifo, params.output_queue})
    if (each) m.queues += ports * each->value;
  return m;
}

AcceleratorMemory& AcceleratorMemory::operator+=(const AcceleratorMemory& m) {
  payload += m.payload, headers += m.headers, state += m.state, value += m.value, queues += m.queues;
  return *this;
}

AcceleratorCore::AcceleratorCore(const Config& config, const Parts& parts, EthernetLinks& links, PacketPool& pool)
    : config_(config),
      clock_(config.params.clock.value),
      parts_(parts),
      links_(links),
      pool_(pool),
      arrivals_(links.ports()) {
  if (links.ports() > max_ports)
    throw std::invalid_argument("an accelerator cannot have " + std::to_string(links.ports()) + " ports (legal: 1 to 64)");
  const AcceleratorParams& p = config.params;
  if (p.input_fifo || p.output_queue || p.lookups) buffers_ = std::make_unique<Buffers>(links.ports(), config);
}

// ---- job initialisation

void AcceleratorCore::begin(std::vector<AggregationRing> rings, bool with_data, Tick now) {
  phase_ = now % clock_;
  config_.with_data = with_data;
  configs_ = std::move(rings);
  states_.clear();
  std::uint64_t payload_base = 0;
  for (unsigned i = 0; i < configs_.size(); ++i) {
    const AggregationRing& ring = configs_[i];
    for (unsigned k = 0; k < i; ++k)
      if (configs_[k].ring == ring.ring)
        throw std::invalid_argument("two rings have the number " + std::to_string(ring.ring));
    for (const AggregationRing::Member& m : ring.members)
      if (m.port >= links_.ports())
        throw std::invalid_argument(name_of(ring) + ": port " + std::to_string(m.port) + " of " +
                                    std::to_string(links_.ports()));
    SlotTransaction begin;
    begin.command = SlotTransaction::Command::begin;
    begin.ring = i;
    begin.config = &ring;
    parts_.slots.access(begin);
    const unsigned messages = config_.rules.slots == SlotCount::window ? ring.window : 2 * ring.window;
    RingState state;
    state.slots.resize(std::size_t{messages} * ring.message_packets);
    HeaderTransaction rows;
    rows.command = HeaderTransaction::Command::reserve;
    rows.slots = static_cast<std::uint32_t>(state.slots.size());
    rows.ranks = ring.ranks();
    parts_.headers.access(rows);
    for (unsigned k = 0; k < i; ++k) {
      const std::uint64_t other = std::uint64_t{states_[k].slots.size()} * configs_[k].ranks();
      require_answer("headers",
                     rows.row >= states_[k].first_row + other ||
                         std::uint64_t{rows.row} + std::uint64_t{rows.slots} * ring.ranks() <= states_[k].first_row,
                     [&] { return name_of(ring) + " has rows of " + name_of(configs_[k]); });
    }
    state.first_row = rows.row;
    state.payload_base = payload_base;
    payload_base += std::uint64_t{rows.slots} * ring.ranks() * ring.mtu;
    if (with_data) state.values.resize(state.slots.size() * ring.mtu);
    state.translation = LeafTranslation(ring, config_.params.ctt.learn);
    for (unsigned m = 0; m < ring.ranks(); ++m) state.member_of[word_of(ring.members[m].connection)] = m;
    states_.push_back(std::move(state));
    preset(i, 0);
  }
  if (buffers_ != nullptr)
    buffers_->requests =
        std::vector<RingQueue<Request>>(config_.params.combinators.value_or(std::max<std::size_t>(1, configs_.size())));
  if (config_.params.memory && memory().bytes() > config_.params.memory->value)
    throw std::invalid_argument("the rings of an accelerator need " + std::to_string(memory().bytes()) + " B, but it has " +
                                to_string(*config_.params.memory));
}

AcceleratorMemory AcceleratorCore::memory() const {
  AcceleratorMemory all = AcceleratorMemory::of_queues(config_.params, links_.ports());
  for (const AggregationRing& ring : configs_) all += AcceleratorMemory::of(ring, config_.rules, config_.params.value);
  return all;
}

unsigned AcceleratorCore::ring_of(std::uint16_t number) const {
  for (unsigned i = 0; i < configs_.size(); ++i)
    if (configs_[i].ring == number) return i;
  return none;
}

// ---- input path of a frame

void AcceleratorCore::accept(unsigned port, Packet* frame, Tick, Tick tail) {
  const RoceHeader& h = roce(*frame);
  if (h.kind == FrameKind::pause) {
    if (frame->damage == whole) {
      const unsigned traffic_class = h.extra >> 16 & 3u;
      links_.pause(port, traffic_class, h.extra & 0xFFFFu, tail);
      // A queue that is waited for may get room earlier than was known.
      if (buffers_ != nullptr && buffers_->changes.at(port) != never)
        buffers_->changes.advance(port, edge(links_[port].next_with_credit(traffic_class, tail) + 1));
    }
    frame->release();
    return;
  }
  arrivals_[port].push(edge(tail) + delay(config_.params), frame);
  events_.advance(port, arrivals_[port].front().when);
}

Tick AcceleratorCore::run_until(Tick horizon) {
  for (;;) {
    const Tick arrival = events_.next(), delayed = commits_.empty() ? never : commits_.front().when;
    if (buffers_ != nullptr) {
      const Tick held = next_of_buffers();
      if (held <= std::min({arrival, delayed, horizon})) {
        run_buffers(held);
        continue;
      }
      if (std::min(arrival, delayed) > horizon) return std::min({arrival, delayed, held});
    }
    if (std::min(arrival, delayed) > horizon) return std::min(arrival, delayed);
    if (delayed <= arrival) {
      const Commit c = commits_.front();
      commits_.pop();
      commit(c);
      continue;
    }
    const unsigned port = events_.next_slot();
    const Arrival a = arrivals_[port].front();
    arrivals_[port].pop();
    events_.set(port, arrivals_[port].empty() ? never : arrivals_[port].front().when);
    if (buffers_ == nullptr)
      process(port, a);
    else
      arrive(port, a);
  }
}

void AcceleratorCore::drop(Packet* frame, SignalProbe& probe, Tick when, const char* why) {
  probe(when, roce(*frame).psn);
  show_fate<EthernetLink>(fate_, when, *frame, why);
  frame->release();
}

void AcceleratorCore::process(unsigned port, const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  frames_in_(a.when, h.psn);
  unsigned damage = a.frame->damage & fcs_wrong;
  if (damage == whole && h.kind != FrameKind::datagram) {
    IcrcTransaction icrc{a.frame, a.when};
    parts_.icrc.access(icrc);
    if (!icrc.right) damage = icrc_wrong;
  }
  switch (classify(h.kind, h.from_above != 0, damage)) {
    case FrameClass::gradient:
      return look_up_gradient(a);
    case FrameClass::aggregate:
      return find_aggregate(a);
    case FrameClass::from_above:
      return take_result(a);
    case FrameClass::notification:
      return take_notification(a);
    case FrameClass::bypass: {
      bypassed_(a.when, h.psn);
      const Tick parsed = a.when - cycles(config_.params.lookup_cycles + commit_cycles);
      const Tick ready = std::max(a.when, parsed + cycles(config_.params.mac_cycles));
      push(port, a.frame, h.kind == FrameKind::datagram ? a.frame->vc : unsigned{control_class}, ready, ready);
      return;
    }
    case FrameClass::damaged_frame:
      return drop(a.frame, fcs_errors_, a.when, "dropped: its FCS is wrong");
    case FrameClass::damaged_roce:
      show_fate<EthernetLink>(fate_, a.when, *a.frame, "dropped: its ICRC is wrong");
      return a.frame->release();
    case FrameClass::unknown:
      return drop(a.frame, dropped_, a.when);
  }
}

/// A first packet must be that of a member of the ring that it names; other packets are no gradients of a job here.
void AcceleratorCore::look_up_gradient(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  if (configs_.empty() || a.frame->payload_bytes != configs_.front().mtu) return drop(a.frame, dropped_, a.when);
  ClTransaction t;
  t.connection = connection_of(h);
  t.psn = h.psn;
  t.now = a.when;
  unsigned ring = none;
  if (h.tagged != 0) {
    ring = ring_of(h.ring);
    if (ring == none || configs_[ring].role == TreeRole::root || states_[ring].member_of.count(word_of(t.connection)) == 0)
      return drop(a.frame, dropped_, a.when);
    t.command = ClTransaction::Command::update;
    t.header = tag_of(h, configs_[ring].message_packets);
  }
  const Tick extra = parts_.connections.access(t);
  if (t.address.verdict != SlotAddress::Verdict::found) return drop(a.frame, dropped_, a.when, why_of(t.address.verdict));
  if (ring == none) ring = ring_of(t.address.ring);
  if (ring == none) return drop(a.frame, dropped_, a.when);
  const auto member = states_[ring].member_of.find(word_of(t.connection));
  if (member == states_[ring].member_of.end()) return drop(a.frame, dropped_, a.when);
  require("clt", t.address.offset, configs_[ring].message_packets, [&] { return name_of(configs_[ring]) + ", packet"; });
  later(a, extra, ring, member->second, t.address.message, t.address.offset);
}

/// Virtual connections carry message and offset explicitly.
void AcceleratorCore::find_aggregate(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::root || h.psn >= configs_[ring].message_packets ||
      a.frame->payload_bytes != configs_[ring].mtu)
    return drop(a.frame, dropped_, a.when);
  const auto member = states_[ring].member_of.find(word_of(virtual_connection(h)));
  if (member == states_[ring].member_of.end()) return drop(a.frame, dropped_, a.when);
  later(a, 0, ring, member->second, h.extra, h.psn);
}

void AcceleratorCore::later(const Arrival& a, Tick extra, unsigned ring, unsigned member, std::uint32_t message,
                            std::uint32_t offset) {
  const Commit c{
      edge(a.when + extra), a.frame, message, offset, static_cast<std::uint16_t>(ring), static_cast<std::uint16_t>(member)};
  if (c.when == a.when) return commit(c);
  commits_.insert_sorted([](const Commit& x, const Commit& y) { return x.when < y.when; }, c.when, c.frame, c.message,
                         c.offset, c.ring, c.member);
}

void AcceleratorCore::commit(const Commit& c) {
  SlotTransaction t;
  t.ring = c.ring;
  t.member = c.member;
  t.message = c.message;
  t.offset = c.offset;
  t.now = c.when;
  const Tick extra = parts_.slots.access(t);
  const StateRecord::Verdict& v = t.verdict;
  if (v.arrival == StateRecord::Arrival::stale || v.arrival == StateRecord::Arrival::refused) {
    show_fate<EthernetLink>(fate_, c.when, *c.frame, "dropped: a newer message has its slot");
    return c.frame->release();
  }
  Commit counted = c;
  counted.when = edge(c.when + extra);
  counted.again = v.arrival == StateRecord::Arrival::duplicate;
  require("state", v.slot, states_[c.ring].slots.size(), [&] { return name_of(configs_[c.ring]) + ", slot"; });
  if (v.store) store(counted, v.slot);
  HeaderTransaction header;
  header.command = HeaderTransaction::Command::store;
  header.row = row(c.ring, v.slot, c.member);
  header.frame = c.frame;
  header.now = counted.when;
  parts_.headers.access(header);
  if (__builtin_expect(slot_events_.observed(), 0)) show(kind_of(v.arrival), counted, v.slot, t.bitmap, counted.when);
  if (configs_[c.ring].role == TreeRole::leaf && roce(*c.frame).tagged != 0) learn(counted);
  if (v.emission != StateRecord::Emission::none) {
    if (buffers_ != nullptr && buffers_->outputs.limited()) return request(counted, v);
    send_sum(counted, v);
  }
  c.frame->release();
}

/// A packet that has been written again may change the sum.
void AcceleratorCore::send_sum(const Commit& c, const StateRecord::Verdict& v) {
  if (!v.store) return emit_again(c, v);
  combine(c, v.slot);
  emit(c, v, states_[c.ring].slots[v.slot].value_at);
}

void AcceleratorCore::store(const Commit& c, std::uint32_t slot) {
  Tick extra = 0;
  if (config_.with_data && c.frame->payload != nullptr)
    extra = parts_.payloads.write(address(c.ring, slot, c.member), c.frame->payload, c.frame->payload_bytes, c.when);
  Slot& s = states_[c.ring].slots[slot];
  s.operands_at = std::max(s.operands_at, c.when + extra);
}

// ---- sums

/// All banks are read in parallel.
void AcceleratorCore::combine(const Commit& c, std::uint32_t slot) {
  const AggregationRing& ring = configs_[c.ring];
  RingState& state = states_[c.ring];
  CombineTransaction t;
  t.ring = c.ring;
  t.now = edge(std::max(c.when, state.slots[slot].operands_at));
  t.operands = ring.ranks();
  t.bytes = ring.mtu;
  t.skip = header_bytes(c.offset);
  t.type = ring.type;
  t.op = ring.op;
  if (config_.with_data) {
    operands_.resize(ring.ranks());
    const std::byte* const direct = parts_.payloads.direct();
    if (direct == nullptr) operand_bytes_.resize(std::size_t{ring.ranks()} * ring.mtu);
    for (unsigned m = 0; m < ring.ranks(); ++m) {
      operands_[m] =
          direct != nullptr ? direct + address(c.ring, slot, m) : operand_bytes_.data() + std::size_t{m} * ring.mtu;
      if (direct != nullptr) continue;
      const Tick takes =
          parts_.payloads.read(address(c.ring, slot, m), operand_bytes_.data() + std::size_t{m} * ring.mtu, ring.mtu, t.now);
      t.reading = std::max(t.reading, takes);
    }
    t.operand = operands_.data();
    t.sum = state.values.data() + std::size_t{slot} * ring.mtu;
  } else if (parts_.payloads.direct() == nullptr) {
    for (unsigned m = 0; m < ring.ranks(); ++m)
      t.reading = std::max(t.reading, parts_.payloads.read(address(c.ring, slot, m), nullptr, ring.mtu, t.now));
  }
  const Tick extra = parts_.combinator.access(t);
  require_answer("combinator", t.done >= t.now, [&] {
    return name_of(ring) + ", slot " + std::to_string(slot) + ": a sum that is done before its operands are read";
  });
  state.slots[slot].value_at = edge(t.done + extra);
  state.latest_value = std::max(state.latest_value, state.slots[slot].value_at);
  if (__builtin_expect(slot_events_.observed(), 0)) show(SlotEvent::Kind::added, c, slot, 0, state.slots[slot].value_at);
}

const std::byte* AcceleratorCore::sum_of(unsigned ring, std::uint32_t slot) const {
  return config_.with_data ? states_[ring].values.data() + std::size_t{slot} * configs_[ring].mtu : nullptr;
}

/// A stored sum is read one beat in a cycle, faster than the port sends it; otherwise the slot goes through the combinator
/// again. Sums leave in the order in which their slots were committed. A stored sum must not overtake sums in the adders, or
/// its receiver would see a gap at each packet that is sent again.
void AcceleratorCore::emit_again(const Commit& c, const StateRecord::Verdict& v) {
  const RingState& state = states_[c.ring];
  reemissions_(c.when, c.offset);
  if (__builtin_expect(slot_events_.observed(), 0)) show(SlotEvent::Kind::again, c, v.slot, 0, c.when);
  if (config_.params.value == SlotValue::recomputed) {
    combine(c, v.slot);
    return emit(c, v, state.slots[v.slot].value_at);
  }
  emit(c, v, std::max(c.when, state.latest_value) + cycles(read_cycles));
}

// ---- output path

void AcceleratorCore::emit(const Commit& c, const StateRecord::Verdict& v, Tick value_at) {
  const AggregationRing& ring = configs_[c.ring];
  const Tick ready = value_at + cycles(config_.params.lookup_cycles + config_.params.mac_cycles);
  const std::byte* const sum = sum_of(c.ring, v.slot);
  if (ring.role != TreeRole::alone) return send_sums(c, v.slot, ready, sum);
  if (v.emission == StateRecord::Emission::sender) return send_result(c.ring, c.member, v.slot, c.offset, ready, sum);
  for (unsigned m = 0; m < ring.ranks(); ++m) send_result(c.ring, m, v.slot, c.offset, ready, sum);
}

/// A result has the header of its rank's gradient, and so the same PSN. Its ICRC is recomputed on departure.
void AcceleratorCore::send_result(unsigned ring, unsigned member, std::uint32_t slot, std::uint32_t offset, Tick ready,
                                  const std::byte* sum) {
  HeaderTransaction t;
  t.row = row(ring, slot, member);
  t.now = ready;
  const Tick extra = parts_.headers.access(t);
  check_header(t, configs_[ring], member);
  Packet* const frame = frame_of(t.entry.header.kind, t.entry.payload_bytes, sum, header_bytes(offset), t.entry.born);
  roce(*frame) = t.entry.header;
  if (frame->payload != nullptr && offset == 0) copy_header_bytes(ring, slot, member, frame->payload);
  push(configs_[ring].members[member].port, frame, edge(ready + extra));
}

/// Copies the aggregation header as the sender has sent it.
void AcceleratorCore::copy_header_bytes(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to) {
  const std::byte* const direct = parts_.payloads.direct();
  if (direct != nullptr)
    std::memcpy(to, direct + address(ring, slot, member), AggregationHeader::bytes);
  else
    parts_.payloads.read(address(ring, slot, member), to, AggregationHeader::bytes, 0);
}

Packet* AcceleratorCore::frame_of(FrameKind kind, unsigned payload_bytes, const std::byte* sum, unsigned skip, Tick born) {
  Packet* const frame = make_frame(pool_, kind, payload_bytes, sum != nullptr);
  frame->born = born;
  frame->vc = roce_class;
  if (frame->payload == nullptr) return frame;
  if (skip != 0) std::memset(frame->payload, 0, skip);
  std::memcpy(frame->payload + skip, sum + skip, payload_bytes - skip);
  return frame;
}

void AcceleratorCore::push(unsigned port, Packet* frame, Tick ready) {
  const unsigned beat = static_cast<unsigned>(config_.params.beat.value);
  const unsigned bytes = EthernetFrame::bytes(roce(*frame).kind, frame->payload_bytes);
  push(port, frame, frame->vc, ready, ready + cycles((bytes + beat - 1) / beat));
}

void AcceleratorCore::push(unsigned port, Packet* frame, unsigned traffic_class, Tick ready, Tick tail) {
  if (buffers_ != nullptr) buffers_->outputs.push(port, frame->wire_bytes, ready);
  links_.push(port, frame, traffic_class, ready, tail);
}

// ---- tree of accelerators
//
// Sums go up and results go down over virtual connections, whose frames carry message and offset instead of a PSN (Liu et
// al., 5.2; docs/systems/netreduce.md#trees).

/// Presets the connections of a root, which are known at job initialisation.
void AcceleratorCore::preset(unsigned ring, Tick now) {
  const AggregationRing& r = configs_[ring];
  if (r.role != TreeRole::root) return;
  for (const AggregationRing::Member& from : r.members)
    for (const AggregationRing::Member& to : r.members) {
      CtTransaction t;
      t.command = CtTransaction::Command::preset;
      t.from = from.connection;
      t.to = {r.station, to.connection.source, r.ring};
      t.now = now;
      parts_.translations.access(t);
    }
}

// ---- tree: learning from first packets

void AcceleratorCore::learn(const Commit& c) {
  LeafTranslation& translation = states_[c.ring].translation;
  if (translation.learn(configs_[c.ring], c.member, roce(*c.frame), c.again, parts_.translations, c.when))
    send_notification(c.ring, *c.frame, c.when);
}

void AcceleratorCore::send_notification(unsigned ring, const Packet& first, Tick now) {
  Packet* const frame = frame_of(FrameKind::notification, 0, nullptr, 0, first.born);
  RoceHeader& h = roce(*frame) = roce(first);
  h.kind = FrameKind::notification;
  h.ack_request = 0;
  push(configs_[ring].uplink, frame, now + cycles(config_.params.lookup_cycles + config_.params.mac_cycles));
}

void AcceleratorCore::take_notification(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::leaf || configs_[ring].receiver(h.destination) == nullptr ||
      states_[ring].member_of.count(word_of(connection_of(h))) != 0)
    return drop(a.frame, dropped_, a.when);
  states_[ring].translation.notified(configs_[ring], h, parts_.translations, a.when);
  a.frame->release();
}

// ---- tree: up, and from the root to its leaves

/// Sends one frame for each connection that the connections of the ranks translate to; duplicates are sent once.
void AcceleratorCore::send_sums(const Commit& c, std::uint32_t slot, Tick ready, const std::byte* sum) {
  const AggregationRing& ring = configs_[c.ring];
  targets_.clear();
  Tick extra = 0;
  unsigned ecn = 0;
  Tick born = 0;
  for (unsigned m = 0; m < ring.ranks(); ++m) {
    CtTransaction t;
    t.from = ring.members[m].connection;
    t.now = ready;
    extra = std::max(extra, parts_.translations.access(t));
    check_translation(t, ring);
    if (t.entry == nullptr) continue;
    for (const CtTarget& target : t.entry->to)
      if (std::find(targets_.begin(), targets_.end(), target.connection) == targets_.end())
        targets_.push_back(target.connection);
    HeaderTransaction header;
    header.row = row(c.ring, slot, m);
    header.now = ready;
    parts_.headers.access(header);
    check_header(header, ring, m);
    const RoceHeader& h = header.entry.header;
    ecn = std::max<unsigned>(ecn, h.ecn);
    born = std::max(born, header.entry.born);
  }
  for (const ConnectionKey& to : targets_) {
    Packet* const frame = frame_of(FrameKind::aggregate, ring.mtu, sum, header_bytes(c.offset), born);
    RoceHeader& h = roce(*frame);
    h.source = to.source;
    h.destination = to.destination;
    h.udp_port = ring.ring;
    h.ring = ring.ring;
    h.rank = ring.number;
    h.psn = c.offset;
    h.extra = c.message;
    h.ecn = ecn & 3u;
    h.from_above = ring.role == TreeRole::root;
    push(port_to(c.ring, to), frame, edge(ready + extra));
  }
}

unsigned AcceleratorCore::port_to(unsigned ring, const ConnectionKey& to) const {
  const AggregationRing& r = configs_[ring];
  if (r.role == TreeRole::leaf) return r.uplink;
  for (const AggregationRing::Member& m : r.members)
    if (m.connection.source == to.destination) return m.port;
  return 0;
}

// ---- tree: down to the hosts of a leaf

/// A result bypasses the slots. It is forwarded while the slot here belongs to its message; after that, all ranks have it.
void AcceleratorCore::take_result(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::leaf || !(virtual_connection(h) == configs_[ring].downward()) ||
      h.psn >= configs_[ring].message_packets || a.frame->payload_bytes != configs_[ring].mtu)
    return drop(a.frame, dropped_, a.when);
  SlotTransaction slot;
  slot.command = SlotTransaction::Command::slot;
  slot.ring = ring;
  slot.message = h.extra;
  slot.offset = h.psn;
  slot.now = a.when;
  parts_.slots.access(slot);
  require("state", slot.verdict.slot, states_[ring].slots.size(), [&] { return name_of(configs_[ring]) + ", slot"; });
  if (!slot.current)
    return drop(a.frame, dropped_, a.when, "dropped: the slot here is not full, or belongs to another message");
  CtTransaction t;
  t.from = configs_[ring].downward();
  t.now = a.when;
  const Tick extra = parts_.translations.access(t);
  const Tick ready = edge(a.when + extra) + cycles(config_.params.lookup_cycles + config_.params.mac_cycles);
  if (t.entry == nullptr) return drop(a.frame, ctt_misses_, a.when, "dropped: no connection to a host here is known");
  if (t.entry->to.size() < configs_[ring].receivers.size()) ctt_misses_(a.when, h.psn);
  if (__builtin_expect(slot_events_.observed(), 0)) {
    SlotEvent e;
    e.kind = SlotEvent::Kind::passed;
    e.whole = true;
    e.ring = configs_[ring].ring;
    e.source = h.source;
    e.ranks = static_cast<std::uint16_t>(configs_[ring].ranks());
    e.message = h.extra, e.offset = h.psn, e.slot = slot.verdict.slot;
    e.type = configs_[ring].type;
    if (a.frame->payload != nullptr) e.value = a.frame->payload + header_bytes(h.psn);
    slot_events_(a.when, e);
  }
  for (const CtTarget& target : t.entry->to) send_down(ring, target, *a.frame, slot.verdict.slot, ready);
  a.frame->release();
}

/// The header is that of a gradient that has passed here, or is computed from a first packet of its connection.
void AcceleratorCore::send_down(unsigned ring, const CtTarget& target, const Packet& result, std::uint32_t slot,
                                Tick ready) {
  const AggregationRing& r = configs_[ring];
  const RoceHeader& above = roce(result);
  const std::uint32_t offset = above.psn, message = above.extra;
  const AggregationRing::Receiver* const receiver = r.receiver(target.connection.destination);
  const auto member = states_[ring].member_of.find(word_of(target.connection));
  if (receiver == nullptr) return;
  if (member != states_[ring].member_of.end()) {
    HeaderTransaction t;
    t.row = row(ring, slot, member->second);
    t.now = ready;
    const Tick extra = parts_.headers.access(t);
    check_header(t, r, member->second);
    Packet* const frame = frame_of(t.entry.header.kind, r.mtu, result.payload, header_bytes(offset), t.entry.born);
    roce(*frame) = t.entry.header;
    roce(*frame).ecn = std::max<unsigned>(t.entry.header.ecn, above.ecn) & 3u;
    if (frame->payload != nullptr && offset == 0) copy_header_bytes(ring, slot, member->second, frame->payload);
    return push(receiver->port, frame, edge(ready + extra));
  }
  const FirstPacket* const first = target.first_of(message);
  if (first == nullptr) return ctt_misses_(ready, offset);
  RoceHeader h = LeafTranslation::header(r, target, *first, message, offset);
  h.ecn = above.ecn;
  Packet* const frame = frame_of(h.kind, r.mtu, result.payload, header_bytes(offset), result.born);
  roce(*frame) = h;
  if (frame->payload != nullptr && offset == 0)
    store_aggregation_header({r.ring, first->rank, message, static_cast<std::uint16_t>(r.message_packets)}, frame->payload);
  push(receiver->port, frame, ready);
}

// ---- reports

std::vector<std::string> AcceleratorCore::waiting() const {
  std::size_t frames = commits_.size();
  for (const auto& queue : arrivals_) frames += queue.size();
  std::vector<std::string> lines;
  if (frames != 0) lines.push_back("pipeline: " + std::to_string(frames) + " frames");
  if (buffers_ == nullptr) return lines;
  for (unsigned p = 0; p < links_.ports(); ++p)
    if (const unsigned waiting = buffers_->inputs.size(p); waiting != 0)
      lines.push_back("port" + std::to_string(p) + ": " + std::to_string(waiting) + " frames in the input FIFO");
  for (const RingQueue<Request>& queue : buffers_->requests)
    if (!queue.empty())
      lines.push_back("combinator: " + std::to_string(queue.size()) + " sums wait for room in output queues");
  return lines;
}

void AcceleratorCore::reset() {
  for (auto& queue : arrivals_) {
    for (std::uint32_t i = 0; i < queue.size(); ++i) queue[i].frame->release();
    queue.clear();
  }
  for (std::uint32_t i = 0; i < commits_.size(); ++i) commits_[i].frame->release();
  commits_.clear();
  events_.clear();
  configs_.clear();
  states_.clear();
  if (buffers_ == nullptr) return;
  for (RingQueue<Request>& queue : buffers_->requests)
    for (; !queue.empty(); queue.pop()) queue.front().commit.frame->release();
  buffers_->inputs.reset();
  buffers_->outputs.reset();
  buffers_->held.clear();
  buffers_->changes.clear();
  buffers_->blocked = 0;
}

void AcceleratorCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + name, probe, SignalKind::strobe, 24, about);
  };
  strobe("frames", frames_in_, "a frame is parsed (PSN)");
  strobe("bypassed", bypassed_, "a frame is returned unchanged to the switch (PSN)");
  strobe("dropped", dropped_, "a frame is dropped: it belongs to no ring here, or its first packet is missing (PSN)");
  strobe("fcs_errors", fcs_errors_, "a frame is dropped by a MAC: wrong FCS (PSN)");
  strobe("reemissions", reemissions_, "a sum is sent again (offset of its packet)");
  directory.add(prefix + "slot.events", slot_events_, "events of slots");
  directory.add(prefix + "fate", fate_, "frame that is dropped");
  strobe("ctt.miss", ctt_misses_, "a result lacks a connection to a host here (offset of its packet)");
  if (buffers_ != nullptr) strobe("input_fifo.drops", overflows_, "a frame is dropped: the input FIFO is full (PSN)");
}

/// Reports the effect of the packet of `c` on its slot.
void AcceleratorCore::show(SlotEvent::Kind kind, const Commit& c, std::uint32_t slot, std::uint64_t bitmap, Tick when) {
  const AggregationRing& ring = configs_[c.ring];
  SlotEvent e;
  e.kind = kind;
  e.whole = ring.role != TreeRole::leaf;
  e.ring = ring.ring;
  e.source = roce(*c.frame).source;
  e.ranks = static_cast<std::uint16_t>(ring.ranks());
  e.message = c.message, e.offset = c.offset, e.slot = slot;
  e.header = row(c.ring, slot, c.member);
  e.psn = roce(*c.frame).psn;
  e.bitmap = bitmap;
  e.member = std::uint64_t{1} << c.member;
  e.type = ring.type;
  const unsigned skip = header_bytes(c.offset);
  if (c.frame->payload != nullptr) e.operand = c.frame->payload + skip;
  const bool sum = kind == SlotEvent::Kind::added || kind == SlotEvent::Kind::again;
  if (sum && config_.with_data) e.value = sum_of(c.ring, slot) + skip;
  slot_events_(when, e);
}

}  // namespace tributary
