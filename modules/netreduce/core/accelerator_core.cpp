#include "modules/netreduce/core/accelerator_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

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

AcceleratorCore::AcceleratorCore(const Config& config, const Parts& parts, EthernetLinks& links, PacketPool& pool)
    : config_(config),
      clock_(config.params.clock.value),
      parts_(parts),
      links_(links),
      pool_(pool),
      arrivals_(links.ports()) {
  if (links.ports() > max_ports)
    throw std::invalid_argument("an accelerator cannot have " + std::to_string(links.ports()) + " ports (legal: 1 to 64)");
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
    state.first_row = rows.row;
    state.payload_base = payload_base;
    payload_base += std::uint64_t{rows.slots} * ring.ranks() * ring.mtu;
    if (with_data) state.values.resize(state.slots.size() * ring.mtu);
    state.learnt.resize(ring.ranks());
    for (unsigned m = 0; m < ring.ranks(); ++m) state.member_of[word_of(ring.members[m].connection)] = m;
    states_.push_back(std::move(state));
    preset(i, 0);
  }
  if (config_.params.memory && memory().bytes() > config_.params.memory->value)
    throw std::invalid_argument("the rings of an accelerator need " + std::to_string(memory().bytes()) + " B, but it has " +
                                to_string(*config_.params.memory));
}

AcceleratorMemory AcceleratorCore::memory() const {
  AcceleratorMemory all;
  for (const AggregationRing& ring : configs_) {
    const AcceleratorMemory m = AcceleratorMemory::of(ring, config_.rules, config_.params.value);
    all.payload += m.payload, all.headers += m.headers, all.state += m.state, all.value += m.value;
  }
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
    if (frame->damage == whole) links_.pause(port, h.extra >> 16 & 3u, h.extra & 0xFFFFu, tail);
    frame->release();
    return;
  }
  arrivals_[port].push(edge(tail) + delay(config_.params), frame);
  events_.advance(port, arrivals_[port].front().when);
}

Tick AcceleratorCore::run_until(Tick horizon) {
  for (;;) {
    const Tick arrival = events_.next(), delayed = commits_.empty() ? never : commits_.front().when;
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
    process(port, a);
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
      links_.push(port, a.frame, h.kind == FrameKind::datagram ? a.frame->vc : unsigned{control_class}, ready, ready);
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
    // A packet that has been written again may change the sum.
    if (v.store) combine(counted, v.slot), emit(counted, v, states_[c.ring].slots[v.slot].value_at);
    if (!v.store) emit_again(counted, v);
  }
  c.frame->release();
}

void AcceleratorCore::store(const Commit& c, std::uint32_t slot) {
  Tick extra = 0;
  if (config_.with_data && c.frame->payload != nullptr)
    extra = parts_.payloads.write(address(c.ring, slot, c.member), c.frame->payload, c.frame->payload_bytes, c.when);
  Slot& s = states_[c.ring].slots[slot];
  s.operands_at = std::max(s.operands_at, c.when + extra);
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
}

}  // namespace tributary
