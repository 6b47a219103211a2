#include "modules/netreduce/core/accelerator_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/netreduce/core/part_answers.h"

namespace tributary {
namespace {

constexpr const char* newer_message = "dropped: the slot here is not full, or belongs to another message";

SlotEvent::Kind kind_of(StateRecord::Arrival arrival) {
  if (arrival == StateRecord::Arrival::completed) return SlotEvent::Kind::completed;
  return arrival == StateRecord::Arrival::stored ? SlotEvent::Kind::stored : SlotEvent::Kind::duplicate;
}

}  // namespace

AcceleratorCore::AcceleratorCore(const Config& config, const Parts& parts, EthernetLinks& links, PacketPool& pool)
    : config_(config),
      clock_(config.params.clock.value),
      links_(links),
      pool_(pool),
      icrc_(parts.icrc, clock_),
      slots_(parts.slots, clock_),
      storage_(config_.params, clock_, parts.headers, parts.payloads),
      tree_(config_.params, clock_, parts.translations, storage_, pool, static_cast<FrameOutput&>(*this)),
      lookup_(configs_, tree_, parts.connections, clock_),
      sums_(config_.params, clock_, parts.combinator, storage_),
      late_(tree_.queue(), sums_),
      arrivals_(links.ports()),
      slot_events_(configs_, storage_) {
  sums_.report_to(static_cast<SumStage::Listener&>(*this));
  if (parts.answers != nullptr) sums_.offer(*parts.answers);
  if (parts.accesses != nullptr) sums_.offer_payloads(*parts.accesses);
  if (parts.lookups != nullptr) lookup_.offer(*parts.lookups, static_cast<PacketLookup::Listener&>(*this));
  if (parts.translated != nullptr) tree_.offer(*parts.translated, parts.translated_ahead);
  for (LateAnswers* const part : {parts.lookups, parts.answers, parts.translated, parts.accesses}) late_.add(part);
  if (links.ports() > max_ports)
    throw std::invalid_argument("an accelerator cannot have " + std::to_string(links.ports()) + " ports (legal: 1 to 64)");
  const AcceleratorParams& p = config.params;
  if (p.input_fifo || p.output_queue || p.lookups)
    buffers_ = std::make_unique<FiniteBuffers>(p, config.pausing, clock_, links, static_cast<FiniteBuffers::Owner&>(*this));
}

// ---- job initialisation

void AcceleratorCore::begin(std::vector<AggregationRing> rings, bool with_data, Tick now) {
  clock_.align(now);
  config_.with_data = with_data;
  clear();
  late_.begin();
  configs_ = std::move(rings);
  std::vector<std::uint32_t> slots;
  for (unsigned i = 0; i < configs_.size(); ++i) {
    const AggregationRing& ring = configs_[i];
    if (ring_numbered(configs_, ring.ring) != &ring)
      throw std::invalid_argument("two rings have the number " + std::to_string(ring.ring));
    for (const AggregationRing::Member& m : ring.members)
      if (m.port >= links_.ports())
        throw std::invalid_argument(name_of(ring) + ": port " + std::to_string(m.port) + " of " +
                                    std::to_string(links_.ports()));
    SlotTransaction begin;
    begin.command = SlotTransaction::Command::begin;
    begin.ring = i;
    begin.config = &ring;
    slots_.configure(begin);
    slots.push_back(slots_of(ring, config_.rules));
    storage_.add(ring, slots.back(), with_data);
    sums_.add(ring, slots.back());
    tree_.add(ring);
  }
  if (buffers_ != nullptr) buffers_->begin(configs_, slots);
  slot_pool_ = nullptr;
  if (!config_.params.memory || memory().bytes() <= config_.params.memory->value) return;
  const std::uint64_t all = config_.params.memory->value;
  const std::uint64_t queues = AcceleratorMemory::of_queues(config_.params, links_.ports()).bytes();
  const std::uint32_t messages =
      config_.shares && all > queues ? shared_messages(configs_, config_.rules, config_.params.value, all - queues) : 0;
  if (messages == 0)
    throw std::invalid_argument("the rings of an accelerator need " + std::to_string(memory().bytes()) + " B, but it has " +
                                to_string(*config_.params.memory));
  slot_pool_ = std::make_unique<SlotPool>(configs_, messages);
}

AcceleratorMemory AcceleratorCore::memory() const {
  AcceleratorMemory all = AcceleratorMemory::of_queues(config_.params, links_.ports());
  for (const AggregationRing& ring : configs_) all += AcceleratorMemory::of(ring, config_.rules, config_.params.value);
  return all;
}

// ---- input path of a frame

void AcceleratorCore::accept(unsigned port, Packet* frame, Tick, Tick tail) {
  const RoceHeader& h = roce(*frame);
  if (h.kind == FrameKind::pause) {
    if (frame->damage == whole) {
      const unsigned traffic_class = h.extra >> 16 & 3u;
      links_.pause(port, traffic_class, h.extra & 0xFFFFu, tail);
      if (buffers_ != nullptr) buffers_->paused(port, traffic_class, tail);
    }
    frame->release();
    return;
  }
  arrivals_[port].push(edge(tail) + delay(config_.params), frame);
  events_.advance(port, arrivals_[port].front().when);
}

Tick AcceleratorCore::run_until(Tick horizon) {
  Tick next = process_until(horizon);
  while (__builtin_expect(next_held() <= horizon, 0)) {
    send_held(next_held());
    next = process_until(horizon);
  }
  return std::min(next, next_held());
}

/// Processes the events up to `last`, or up to the time of the next held frame if that is earlier.
Tick AcceleratorCore::process_until(Tick last) {
  for (;;) {
    const Tick horizon = std::min(last, next_held());
    const Tick arrival = std::min(events_.next(), checked_.empty() ? never : checked_.front().when);
    const Tick delayed = commits_.empty() ? never : commits_.front().when;
    if (__builtin_expect(late_.used(), 0)) {
      const Tick held = buffers_ != nullptr ? buffers_->next() : never;
      if (late_.next() <= std::min({arrival, delayed, held, horizon})) {
        late_.run();
        continue;
      }
    }
    if (buffers_ != nullptr) {
      const Tick held = buffers_->next();
      if (held <= std::min({arrival, delayed, horizon})) {
        buffers_->run(held);
        continue;
      }
      if (std::min(arrival, delayed) > horizon) return std::min({arrival, delayed, held});
    }
    if (std::min(arrival, delayed) > horizon) return std::min(arrival, delayed);
    if (delayed <= arrival) {
      const SlotCommit c = commits_.front();
      commits_.pop();
      commit(c);
      continue;
    }
    if (!checked_.empty() && checked_.front().when == arrival) {
      const Checked c = checked_.front();
      checked_.pop();
      handle(c.port, {c.when, c.frame}, c.damage);
      continue;
    }
    const unsigned port = events_.next_slot();
    const Arrival a = arrivals_[port].front();
    arrivals_[port].pop();
    events_.set(port, arrivals_[port].empty() ? never : arrivals_[port].front().when);
    if (buffers_ == nullptr)
      process(port, a);
    else
      buffers_->arrive(port, a.frame, a.when);
  }
}

void AcceleratorCore::drop(Packet* frame, SignalProbe& probe, Tick when, const char* why) {
  probe(when, roce(*frame).psn);
  show_fate<EthernetLink>(fate_, when, *frame, why);
  frame->release();
}

/// Frames that the ICRC unit answers later stay in the order of their requests.
void AcceleratorCore::process(unsigned port, const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  frames_in_(a.when, h.psn);
  unsigned damage = a.frame->damage & fcs_wrong;
  if (damage != whole || h.kind == FrameKind::datagram) return handle(port, a, damage);
  IcrcTransaction icrc{a.frame, a.when};
  const Tick answered = icrc_.answer(icrc);
  if (!icrc.right) damage = icrc_wrong;
  if (answered == a.when) return handle(port, a, damage);
  checked_.push(edge(answered), a.frame, port, damage);
}

void AcceleratorCore::handle(unsigned port, const Arrival& a, unsigned damage) {
  const RoceHeader& h = roce(*a.frame);
  switch (classify(h.kind, h.from_above != 0, damage)) {
    case FrameClass::gradient:
      return later(a, lookup_.gradient(*a.frame, a.when));
    case FrameClass::aggregate:
      return later(a, lookup_.aggregate(*a.frame, a.when));
    case FrameClass::from_above:
      return take_result(a);
    case FrameClass::notification:
      return take_notification(a);
    case FrameClass::bypass: {
      if (slot_pool_ != nullptr && (h.kind == FrameKind::ack || h.kind == FrameKind::nack))
        slot_pool_->acknowledged(connection_of(h), h.kind == FrameKind::ack ? h.psn : Psn::add(h.psn, -1));
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

/// Commits a packet to its slot when its place is known.
void AcceleratorCore::later(const Arrival& a, const PacketLookup::Place& place) {
  if (place.why != nullptr) return drop(a.frame, dropped_, place.when, place.why);
  if (__builtin_expect(place.when == never, 0)) return;
  const SlotCommit c{place.when,
                     a.frame,
                     place.message,
                     place.offset,
                     static_cast<std::uint16_t>(place.ring),
                     static_cast<std::uint16_t>(place.member)};
  if (c.when == a.when) return commit(c);
  commits_.insert_sorted([](const SlotCommit& x, const SlotCommit& y) { return x.when < y.when; }, c.when, c.frame,
                         c.message, c.offset, c.ring, c.member);
}

/// Returns true if the message of the packet has slots. The packet is dropped while its ring waits for slots. A packet of a
/// message that all ranks have acknowledged passes to its receiver, whose NIC acknowledges it again.
bool AcceleratorCore::admitted(const SlotCommit& c) {
  const SlotPool::Answer answer = slot_pool_->admit(c.ring, c.message);
  if (answer == SlotPool::Answer::granted) return true;
  if (answer == SlotPool::Answer::waits)
    drop(c.frame, refusals_, c.when, "dropped: its ring waits for slots");
  else
    send(configs_[c.ring].members[c.member].port, c.frame, c.when + cycles(config_.params.mac_cycles));
  return false;
}

void AcceleratorCore::commit(const SlotCommit& c) {
  if (slot_pool_ != nullptr && !admitted(c)) return;
  SlotTransaction t;
  t.ring = c.ring;
  t.member = c.member;
  t.message = c.message;
  t.offset = c.offset;
  t.now = c.when;
  const Tick answered = slots_.answer(t);
  const StateRecord::Verdict& v = t.verdict;
  if (v.arrival == StateRecord::Arrival::stale || v.arrival == StateRecord::Arrival::refused) {
    show_fate<EthernetLink>(fate_, c.when, *c.frame, "dropped: a newer message has its slot");
    return c.frame->release();
  }
  SlotCommit counted = c;
  counted.when = edge(answered);
  counted.again = v.arrival == StateRecord::Arrival::duplicate;
  require_place("state", v.slot, sums_.slots(c.ring), [&] { return name_of(configs_[c.ring]) + ", slot"; });
  if (v.store) sums_.store(counted, v.slot);
  sums_.store_header(counted, v.slot);
  if (__builtin_expect(slot_events_.observed(), 0))
    slot_events_.show(kind_of(v.arrival), counted, v.slot, t.bitmap, counted.when);
  if (configs_[c.ring].role == TreeRole::leaf && roce(*c.frame).tagged != 0) tree_.learn(counted);
  if (v.emission != StateRecord::Emission::none) {
    if (limits_sums()) return buffers_->request(counted, v);
    send_sum(counted, v);
  }
  c.frame->release();
}

/// A packet that has been written again may change the sum.
void AcceleratorCore::send_sum(const SlotCommit& c, const StateRecord::Verdict& v) {
  if (!v.store) return emit_again(c, v);
  add_and_emit(c, v);
}

/// Sets `t.now` to the time of the answer.
SlotTransaction AcceleratorCore::look_up_slot(unsigned ring, std::uint32_t message, std::uint32_t offset, Tick now) {
  SlotTransaction t;
  t.command = SlotTransaction::Command::slot;
  t.ring = ring;
  t.message = message;
  t.offset = offset;
  t.now = now;
  t.now = edge(slots_.answer(t));
  return t;
}

bool AcceleratorCore::is_current(const SlotCommit& c) { return look_up_slot(c.ring, c.message, c.offset, c.when).current; }

// ---- sums

void AcceleratorCore::add_and_emit(const SlotCommit& c, const StateRecord::Verdict& v) {
  const Tick value_at = sums_.combine(c, v.slot);
  if (__builtin_expect(value_at == never, 0)) return keep(c, v);
  show_added(c, v, value_at);
  emit(c, v, value_at);
}

void AcceleratorCore::show_added(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at) {
  if (__builtin_expect(slot_events_.observed(), 0)) slot_events_.show(SlotEvent::Kind::added, c, v.slot, 0, value_at);
}

/// Keeps a commit with its number, until its sum is known.
void AcceleratorCore::keep(const SlotCommit& c, const StateRecord::Verdict& v) {
  SlotCommit kept = c;
  kept.order = ++order_;
  defers_ = true;
  sums_.keep(kept, v);
  if (limits_sums()) buffers_->hold(c, v);
}

void AcceleratorCore::late_sum(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at, bool added) {
  if (limits_sums()) buffers_->release(c, v, value_at);
  if (added) show_added(c, v, value_at);
  late_order_ = c.order;
  emit(c, v, value_at);
  late_order_ = 0;
}

/// The sum is stored; otherwise the slot goes through the combinator again.
void AcceleratorCore::emit_again(const SlotCommit& c, const StateRecord::Verdict& v) {
  reemissions_(c.when, c.offset);
  if (__builtin_expect(slot_events_.observed(), 0)) slot_events_.show(SlotEvent::Kind::again, c, v.slot, 0, c.when);
  if (config_.params.value == SlotValue::recomputed) return add_and_emit(c, v);
  const Tick value_at = sums_.read_again(c);
  if (__builtin_expect(value_at == never, 0)) return keep(c, v);
  emit(c, v, value_at);
}

// ---- output path

void AcceleratorCore::emit(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at) {
  const AggregationRing& ring = configs_[c.ring];
  const Tick ready = value_at + cycles(config_.params.lookup_cycles + config_.params.mac_cycles);
  if (ring.role != TreeRole::alone) return tree_.send_sums(c, v.slot, ready);
  if (v.emission == StateRecord::Emission::sender) return send_result(c, c.member, v.slot, ready);
  for (unsigned m = 0; m < ring.ranks(); ++m) send_result(c, m, v.slot, ready);
}

/// A result has the header of its rank's gradient, and so the same PSN. Its ICRC is recomputed on departure.
void AcceleratorCore::send_result(const SlotCommit& c, unsigned member, std::uint32_t slot, Tick ready) {
  const AggregationRing& ring = configs_[c.ring];
  const AggregationRing::Member& to = ring.members[member];
  const auto [entry, loaded] = storage_.header(c.ring, slot, member, ready);
  const unsigned bytes = ring.pattern.by_packet() ? ring.pattern.result_bytes(ring.receiver_of(to.rank), c.message, c.offset,
                                                                              storage_.sum_bytes(c.ring, slot))
                                                  : entry.payload_bytes;
  Packet* const frame =
      make_result(pool_, entry.header.kind, bytes, storage_.sum(c.ring, slot), header_bytes(c.offset), entry.born);
  storage_.framed(c.ring, slot, *frame, header_bytes(c.offset));
  roce(*frame) = entry.header;
  if (frame->payload != nullptr && c.offset == 0)
    storage_.copy_aggregation_header(c.ring, slot, member, frame->payload, ready);
  send(to.port, frame, edge(loaded));
}

void AcceleratorCore::send(unsigned port, Packet* frame, Tick ready) {
  const unsigned beat = static_cast<unsigned>(config_.params.beat.value);
  const unsigned bytes = EthernetFrame::bytes(roce(*frame).kind, frame->payload_bytes);
  push(port, frame, frame->vc, ready, ready + cycles((bytes + beat - 1) / beat));
}

void AcceleratorCore::push(unsigned port, Packet* frame, unsigned traffic_class, Tick ready, Tick tail) {
  if (buffers_ != nullptr) buffers_->push(port, *frame, ready);
  if (__builtin_expect(defers_, 0))
    return hold({ready, tail, late_order_ != 0 ? late_order_ : ++order_, frame, port, traffic_class});
  links_.push(port, frame, traffic_class, ready, tail);
}

/// A sum whose answer follows later may leave at the time of a frame that is known already: which of them is first must not
/// depend on the answers. So frames are queued at their links in the order of the commits and events that cause them.
void AcceleratorCore::hold(const Held& frame) {
  held_.insert_sorted(
      [](const Held& a, const Held& b) { return a.ready != b.ready ? a.ready < b.ready : a.order < b.order; }, frame.ready,
      frame.tail, frame.order, frame.frame, frame.port, frame.traffic_class);
}

/// Queues all frames that may leave by `now`.
void AcceleratorCore::send_held(Tick now) {
  for (; next_held() <= now; held_.pop()) {
    const Held& h = held_.front();
    links_.push(h.port, h.frame, h.traffic_class, h.ready, h.tail);
    if (limits_sums()) buffers_->queued(h.port, now);
  }
}

/// A pause needs the time of the MAC. It is sent before all frames that wait.
void AcceleratorCore::send_pause(unsigned port, unsigned quanta, Tick now) {
  Packet* const frame = make_frame(pool_, FrameKind::pause, 0, false);
  frame->born = now;
  frame->vc = control_class;
  roce(*frame).extra = unsigned{roce_class} << 16 | quanta;
  const Tick ready = now + cycles(config_.params.mac_cycles);
  push(port, frame, control_class, ready, ready);
}

void AcceleratorCore::overflow(Packet* frame, Tick now) { drop(frame, overflows_, now, "dropped: the input FIFO is full"); }

// ---- frames of other accelerators

void AcceleratorCore::take_notification(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = lookup_.ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::leaf || configs_[ring].receiver(h.destination) == nullptr ||
      tree_.member_of(ring, connection_of(h)) != none)
    return drop(a.frame, dropped_, a.when);
  tree_.notified(ring, h, a.when);
  a.frame->release();
}

/// A result bypasses the slots. It is forwarded while the slot here belongs to its message; after that, all ranks have it.
void AcceleratorCore::take_result(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = lookup_.ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::leaf || !(virtual_connection(h) == configs_[ring].downward()) ||
      h.psn >= configs_[ring].message_packets || !configs_[ring].carries(a.frame->payload_bytes))
    return drop(a.frame, dropped_, a.when);
  const SlotTransaction slot = look_up_slot(ring, h.extra, h.psn, a.when);
  require_place("state", slot.verdict.slot, sums_.slots(ring), [&] { return name_of(configs_[ring]) + ", slot"; });
  if (!slot.current) return drop(a.frame, dropped_, a.when, newer_message);
  if (__builtin_expect(tree_.queue().used(), 0))
    return tree_.ask_targets(ring, a.frame, slot.verdict.slot, slot.now, static_cast<TreeSends::Listener&>(*this));
  pass_down(a.frame, ring, slot.verdict.slot, tree_.targets(ring, slot.now), a.when);
}

void AcceleratorCore::pass_down(Packet* result, unsigned ring, std::uint32_t slot, const TreeSends::Targets& targets,
                                Tick now) {
  if (targets.entry == nullptr) return drop(result, tree_.misses, now, "dropped: no connection to a host here is known");
  if (targets.entry->to.size() < configs_[ring].receivers.size()) tree_.misses(now, roce(*result).psn);
  if (__builtin_expect(slot_events_.observed(), 0)) slot_events_.show_passed(ring, slot, *result, now);
  tree_.send_down(ring, targets, *result, slot);
  result->release();
}

/// A newer message may have taken the slot during a long translation.
void AcceleratorCore::result_translated(Packet* result, unsigned ring, std::uint32_t slot, const TreeSends::Targets& targets,
                                        Tick requested, Tick now) {
  const RoceHeader& h = roce(*result);
  if (now != requested && !look_up_slot(ring, h.extra, h.psn, now).current)
    return drop(result, dropped_, now, newer_message);
  pass_down(result, ring, slot, targets, now);
}

// ---- reports

std::vector<std::string> AcceleratorCore::waiting() const {
  std::size_t frames = commits_.size() + checked_.size() + held_.size() + lookup_.waiting();
  for (const auto& queue : arrivals_) frames += queue.size();
  std::vector<std::string> lines;
  if (frames != 0) lines.push_back("pipeline: " + std::to_string(frames) + " frames");
  if (sums_.kept() != 0) lines.push_back("combinator: " + std::to_string(sums_.kept()) + " sums wait for their answers");
  if (const std::size_t n = tree_.queue().waiting(); n != 0)
    lines.push_back("ctt: " + std::to_string(n) + " sums and results wait for their translations");
  if (slot_pool_ != nullptr)
    for (const std::string& line : slot_pool_->waiting()) lines.push_back(line);
  if (buffers_ == nullptr) return lines;
  for (const std::string& line : buffers_->waiting()) lines.push_back(line);
  return lines;
}

void AcceleratorCore::reset() {
  for (auto& queue : arrivals_) {
    for (std::uint32_t i = 0; i < queue.size(); ++i) queue[i].frame->release();
    queue.clear();
  }
  for (std::uint32_t i = 0; i < commits_.size(); ++i) commits_[i].frame->release();
  for (std::uint32_t i = 0; i < checked_.size(); ++i) checked_[i].frame->release();
  for (std::uint32_t i = 0; i < held_.size(); ++i) held_[i].frame->release();
  held_.clear();
  commits_.clear();
  checked_.clear();
  events_.clear();
  configs_.clear();
  clear();
  slot_pool_ = nullptr;
  if (buffers_ != nullptr) buffers_->reset();
}

/// Forgets the state of all rings.
void AcceleratorCore::clear() {
  icrc_.clear();
  slots_.clear();
  storage_.clear();
  tree_.clear();
  lookup_.clear();
  sums_.clear();
}

void AcceleratorCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + name, probe, SignalKind::strobe, 24, about);
  };
  strobe("frames", frames_in_, "a frame is parsed (PSN)");
  strobe("bypassed", bypassed_, "a frame is returned unchanged to the switch (PSN)");
  strobe("dropped", dropped_, "a frame is dropped: it belongs to no ring here, or its first packet is missing (PSN)");
  strobe("fcs_errors", fcs_errors_, "a frame is dropped by a MAC: wrong FCS (PSN)");
  strobe("refusals", refusals_, "a packet is dropped: its ring waits for slots (PSN)");
  strobe("reemissions", reemissions_, "a sum is sent again (offset of its packet)");
  slot_events_.describe(directory, prefix);
  directory.add(prefix + "fate", fate_, "frame that is dropped");
  strobe("ctt.miss", tree_.misses, "a result lacks a connection to a host here (offset of its packet)");
  if (buffers_ != nullptr) strobe("input_fifo.drops", overflows_, "a frame is dropped: the input FIFO is full (PSN)");
}

}  // namespace tributary
