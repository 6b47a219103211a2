// Finite buffers of an accelerator: frames wait in input FIFOs, sums in their slots (docs/blocks/accelerator.md#buffers).
#include <algorithm>

#include "modules/netreduce/core/accelerator_core.h"

namespace tributary {
namespace {

InputFifos::Config inputs_of(const AcceleratorCore::Config& config) {
  const AcceleratorParams& p = config.params;
  InputFifos::Config c;
  c.clock = p.clock.value;
  c.beat = static_cast<unsigned>(p.beat.value);
  c.lookups = p.lookups.value_or(0);
  c.capacity = p.input_fifo ? p.input_fifo->value : 0;
  c.pauses = config.pausing.has_value() && p.input_fifo.has_value();
  if (!c.pauses) return c;
  c.headroom = config.pausing->headroom;
  c.resume = config.pausing->resume;
  c.quantum = config.pausing->quantum;
  return c;
}

}  // namespace

AcceleratorCore::Buffers::Buffers(unsigned ports, const Config& config)
    : inputs(ports, inputs_of(config)), outputs(ports, config.params.output_queue ? config.params.output_queue->value : 0) {}

// ---- events

Tick AcceleratorCore::next_of_buffers() const {
  return std::min({buffers_->held.next(), buffers_->changes.next(), buffers_->inputs.next_pause()});
}

/// Sums that wait have priority over frames that wait.
void AcceleratorCore::run_buffers(Tick now) {
  Buffers& b = *buffers_;
  if (b.inputs.next_pause() <= now)
    return b.inputs.repeat_pauses(now, [&](unsigned port) { send_pause(port, InputFifos::quanta, now); });
  if (b.held.next() <= now) {
    const unsigned port = b.held.next_slot();
    b.held.set(port, never);
    return serve(port, now);
  }
  b.changes.set(b.changes.next_slot(), never);
  for (unsigned unit = 0; unit < b.requests.size(); ++unit) serve_requests(unit, now);
  for (unsigned port = 0; port < links_.ports(); ++port)
    if ((b.blocked >> port & 1) != 0) serve(port, now);
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

// ---- input FIFOs

void AcceleratorCore::arrive(unsigned port, const Arrival& a) {
  InputFifos& inputs = buffers_->inputs;
  const bool first = inputs.empty(port);
  if (!inputs.put(port, a.frame)) drop(a.frame, overflows_, a.when, "dropped: the input FIFO is full");
  if (inputs.pauses(port, a.when)) send_pause(port, InputFifos::quanta, a.when);
  if (first && !inputs.empty(port)) serve(port, a.when);
}

/// Takes frames of a port until one has to wait.
void AcceleratorCore::serve(unsigned port, Tick now) {
  Buffers& b = *buffers_;
  b.blocked &= ~(std::uint64_t{1} << port);
  while (!b.inputs.empty(port)) {
    const Packet& frame = *b.inputs.front(port);
    const FrameKind kind = roce(frame).kind;
    const Tick ready = b.inputs.ready(port, is_write(kind) || kind == FrameKind::aggregate, now);
    if (ready > now) return b.held.set(port, edge(ready));
    if (!has_room_for(port, frame, now)) {
      b.blocked |= std::uint64_t{1} << port;
      return;
    }
    Packet* const taken = b.inputs.take(port, now);
    if (b.inputs.resumes(port)) send_pause(port, 0, now);
    process(port, {now, taken});
  }
}

// ---- room in output queues

unsigned AcceleratorCore::largest_frame(const AggregationRing& ring) const {
  return EthernetFrame::wire_bytes(FrameKind::write_only_immediate, ring.mtu);
}

/// Departures up to `now` are certain, since all pauses that affect them are known. Otherwise the core waits for the next.
bool AcceleratorCore::has_room(unsigned port, std::uint64_t bytes, Tick now) {
  Buffers& b = *buffers_;
  if (!b.outputs.limited()) return true;
  const Tick next =
      links_.run(port, now - 1, [this](unsigned from, const EthernetLinks::Sent& departed) { sent(from, departed); });
  if (b.outputs.has_room(port, bytes)) return true;
  if (next != never) b.changes.advance(port, edge(next + 1));
  return false;
}

/// Frames that leave without a slot need room when they are taken: those that return, results from above, notifications.
bool AcceleratorCore::has_room_for(unsigned port, const Packet& frame, Tick now) {
  if (!buffers_->outputs.limited()) return true;
  const RoceHeader& h = roce(frame);
  const FrameClass what = classify(h.kind, h.from_above != 0, frame.damage);
  if (what == FrameClass::bypass) return has_room(port, frame.wire_bytes, now);
  const unsigned ring = what == FrameClass::from_above || h.tagged != 0 ? ring_of(h.ring) : none;
  if (ring == none || configs_[ring].role != TreeRole::leaf) return true;
  const AggregationRing& r = configs_[ring];
  if (what == FrameClass::gradient) return has_room(r.uplink, EthernetFrame::wire_bytes(FrameKind::notification, 0), now);
  if (what != FrameClass::from_above) return true;
  bool all = true;  // the core waits for each queue without room
  for (const AggregationRing::Receiver& to : r.receivers) all = has_room(to.port, largest_frame(r), now) && all;
  return all;
}

/// Each port needs room for all of its frames.
bool AcceleratorCore::has_room_for(const Request& request, Tick now) {
  const AggregationRing& r = configs_[request.commit.ring];
  if (r.role == TreeRole::leaf) return has_room(r.uplink, largest_frame(r), now);
  const std::uint64_t members = members_of(request);
  bool all = true;
  for (unsigned m = 0; m < r.ranks(); ++m) {
    if ((members >> m & 1) == 0) continue;
    std::uint64_t bytes = 0;
    for (unsigned other = 0; other < r.ranks(); ++other)
      if ((members >> other & 1) != 0 && r.members[other].port == r.members[m].port) bytes += largest_frame(r);
    all = has_room(r.members[m].port, bytes, now) && all;
  }
  return all;
}

// ---- sums that wait for room

/// Returns the members to whose connections the sum goes. In trees it goes to all.
std::uint64_t AcceleratorCore::members_of(const Request& request) const {
  const AggregationRing& r = configs_[request.commit.ring];
  if (r.role == TreeRole::alone && request.verdict.emission == StateRecord::Emission::sender)
    return std::uint64_t{1} << request.commit.member;
  return ~std::uint64_t{0} >> (64 - r.ranks());
}

/// A sum that is requested again before it has left leaves once.
void AcceleratorCore::request(const Commit& c, const StateRecord::Verdict& v) {
  Slot& slot = states_[c.ring].slots[v.slot];
  const Request added{c, v};
  const std::uint64_t members = members_of(added);
  if (slot.requested_message != c.message) slot.requested = 0, slot.requested_message = c.message;
  if ((slot.requested & members) == members) return c.frame->release();
  slot.requested |= members;
  const auto unit = static_cast<unsigned>(c.ring % buffers_->requests.size());
  const bool first = buffers_->requests[unit].empty();
  buffers_->requests[unit].push(added);
  if (first) serve_requests(unit, c.when);
}

/// A newer message may have taken the slot while the sum waited.
bool AcceleratorCore::is_current(const Commit& c) {
  SlotTransaction t;
  t.command = SlotTransaction::Command::slot;
  t.ring = c.ring;
  t.message = c.message;
  t.offset = c.offset;
  t.now = c.when;
  parts_.slots.access(t);
  return t.current;
}

void AcceleratorCore::serve_requests(unsigned unit, Tick now) {
  RingQueue<Request>& queue = buffers_->requests[unit];
  while (!queue.empty()) {
    Request first = queue.front();
    if (first.commit.when > now) return buffers_->changes.advance(requests_due, first.commit.when);
    if (!has_room_for(first, now)) return;
    queue.pop();
    first.commit.when = now;
    Slot& slot = states_[first.commit.ring].slots[first.verdict.slot];
    if (slot.requested_message == first.commit.message) slot.requested &= ~members_of(first);
    if (is_current(first.commit)) send_sum(first.commit, first.verdict);
    first.commit.frame->release();
  }
}

}  // namespace tributary
