#include "modules/netreduce/core/finite_buffers.h"

#include <algorithm>

#include "modules/netreduce/core/parser_core.h"

namespace tributary {
namespace {

InputFifos::Config inputs_of(const AcceleratorParams& p, const std::optional<AcceleratorPausing>& pausing) {
  InputFifos::Config c;
  c.clock = p.clock.value;
  c.beat = static_cast<unsigned>(p.beat.value);
  c.lookups = p.lookups.value_or(0);
  c.capacity = p.input_fifo ? p.input_fifo->value : 0;
  c.pauses = pausing.has_value() && p.input_fifo.has_value();
  if (!c.pauses) return c;
  c.headroom = pausing->headroom;
  c.resume = pausing->resume;
  c.quantum = pausing->quantum;
  return c;
}

unsigned largest_frame(const AggregationRing& ring) {
  return EthernetFrame::wire_bytes(FrameKind::write_only_immediate, ring.mtu);
}

}  // namespace

FiniteBuffers::FiniteBuffers(const AcceleratorParams& params, const std::optional<AcceleratorPausing>& pausing,
                             const AcceleratorClock& clock, EthernetLinks& links, Owner& owner)
    : combinators_(params.combinators),
      clock_(clock),
      links_(links),
      owner_(owner),
      inputs_(links.ports(), inputs_of(params, pausing)),
      outputs_(links.ports(), params.output_queue ? params.output_queue->value : 0) {}

void FiniteBuffers::begin(const std::vector<AggregationRing>& rings, const std::vector<std::uint32_t>& slots) {
  rings_ = &rings;
  requested_.clear();
  for (const std::uint32_t count : slots) requested_.emplace_back(count);
  requests_ = std::vector<RingQueue<Request>>(combinators_.value_or(std::max<std::size_t>(1, rings.size())));
}

// ---- events

Tick FiniteBuffers::next() const { return std::min({held_.next(), changes_.next(), inputs_.next_pause()}); }

void FiniteBuffers::run(Tick now) {
  if (inputs_.next_pause() <= now)
    return inputs_.repeat_pauses(now, [&](unsigned port) { owner_.send_pause(port, InputFifos::quanta, now); });
  if (held_.next() <= now) {
    const unsigned port = held_.next_slot();
    held_.set(port, never);
    return serve(port, now);
  }
  changes_.set(changes_.next_slot(), never);
  for (unsigned unit = 0; unit < requests_.size(); ++unit) serve_requests(unit, now);
  for (unsigned port = 0; port < links_.ports(); ++port)
    if ((blocked_ >> port & 1) != 0) serve(port, now);
}

// ---- input FIFOs

void FiniteBuffers::arrive(unsigned port, Packet* frame, Tick now) {
  const bool first = inputs_.empty(port);
  if (!inputs_.put(port, frame)) owner_.overflow(frame, now);
  if (inputs_.pauses(port, now)) owner_.send_pause(port, InputFifos::quanta, now);
  if (first && !inputs_.empty(port)) serve(port, now);
}

/// Takes frames of a port until one has to wait.
void FiniteBuffers::serve(unsigned port, Tick now) {
  blocked_ &= ~(std::uint64_t{1} << port);
  while (!inputs_.empty(port)) {
    const Packet& frame = *inputs_.front(port);
    const FrameKind kind = roce(frame).kind;
    const Tick ready = inputs_.ready(port, is_write(kind) || kind == FrameKind::aggregate, now);
    if (ready > now) return held_.set(port, clock_.edge(ready));
    if (!has_room_for(frame, port, now)) {
      blocked_ |= std::uint64_t{1} << port;
      return;
    }
    Packet* const taken = inputs_.take(port, now);
    if (inputs_.resumes(port)) owner_.send_pause(port, 0, now);
    owner_.process(port, taken, now);
  }
}

// ---- room in output queues

/// Departures up to `now` are certain, since all pauses that affect them are known. Otherwise the queue is served at the
/// next one.
bool FiniteBuffers::has_room(unsigned port, std::uint64_t bytes, Tick now) {
  if (!outputs_.limited()) return true;
  const Tick next =
      links_.run(port, now - 1, [this](unsigned from, const EthernetLinks::Sent& departed) { sent(from, departed); });
  if (outputs_.has_room(port, bytes)) return true;
  if (next != never) changes_.advance(port, clock_.edge(next + 1));
  return false;
}

/// Frames that leave without a slot need room when they are taken: those that return, results from above, notifications.
bool FiniteBuffers::has_room_for(const Packet& frame, unsigned port, Tick now) {
  if (!outputs_.limited()) return true;
  const RoceHeader& h = roce(frame);
  const FrameClass what = classify(h.kind, h.from_above != 0, frame.damage);
  if (what == FrameClass::bypass) return has_room(port, frame.wire_bytes, now);
  const AggregationRing* const ring =
      rings_ != nullptr && (what == FrameClass::from_above || h.tagged != 0) ? ring_numbered(*rings_, h.ring) : nullptr;
  if (ring == nullptr || ring->role != TreeRole::leaf) return true;
  if (what == FrameClass::gradient)
    return has_room(ring->uplink, EthernetFrame::wire_bytes(FrameKind::notification, 0), now);
  if (what != FrameClass::from_above) return true;
  bool all = true;  // each queue without room is waited for
  for (const AggregationRing::Receiver& to : ring->receivers) all = has_room(to.port, largest_frame(*ring), now) && all;
  return all;
}

/// Each port needs room for all of its frames.
bool FiniteBuffers::has_room_for(const Request& request, Tick now) {
  const AggregationRing& r = (*rings_)[request.commit.ring];
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
std::uint64_t FiniteBuffers::members_of(const Request& request) const {
  const AggregationRing& r = (*rings_)[request.commit.ring];
  if (r.role == TreeRole::alone && request.verdict.emission == StateRecord::Emission::sender)
    return std::uint64_t{1} << request.commit.member;
  return ~std::uint64_t{0} >> (64 - r.ranks());
}

/// Calls `each(port, bytes)` for all frames of a sum. The packets of a slot have one length.
template <class Each>
void FiniteBuffers::for_each_frame(const Request& request, Each&& each) const {
  const AggregationRing& r = (*rings_)[request.commit.ring];
  const unsigned bytes =
      r.role == TreeRole::alone ? request.commit.frame->wire_bytes : EthernetFrame::wire_bytes(FrameKind::aggregate, r.mtu);
  if (r.role == TreeRole::leaf) return each(r.uplink, bytes);
  const std::uint64_t members = members_of(request);
  for (unsigned m = 0; m < r.ranks(); ++m)
    if ((members >> m & 1) != 0) each(r.members[m].port, bytes);
}

void FiniteBuffers::hold(const SlotCommit& c, const StateRecord::Verdict& v) {
  for_each_frame({c, v}, [this](unsigned port, unsigned bytes) { hold(port, bytes); });
}

void FiniteBuffers::release(const SlotCommit& c, const StateRecord::Verdict& v, Tick now) {
  for_each_frame({c, v}, [&](unsigned port, unsigned bytes) { release(port, bytes, now); });
}

void FiniteBuffers::request(const SlotCommit& c, const StateRecord::Verdict& v) {
  const Request added{c, v};
  Requested& earlier = requested(added);
  const std::uint64_t members = members_of(added);
  if (earlier.message != c.message) earlier = {c.message, 0};
  if ((earlier.members & members) == members) return c.frame->release();
  earlier.members |= members;
  const auto unit = static_cast<unsigned>(c.ring % requests_.size());
  const bool first = requests_[unit].empty();
  requests_[unit].push(added);
  if (first) serve_requests(unit, c.when);
}

/// A newer message may have taken the slot while the sum waited.
void FiniteBuffers::serve_requests(unsigned unit, Tick now) {
  RingQueue<Request>& queue = requests_[unit];
  while (!queue.empty()) {
    Request first = queue.front();
    if (first.commit.when > now) return changes_.advance(requests_due, first.commit.when);
    if (!has_room_for(first, now)) return;
    queue.pop();
    first.commit.when = now;
    Requested& entry = requested(first);
    if (entry.message == first.commit.message) entry.members &= ~members_of(first);
    if (owner_.is_current(first.commit)) owner_.send_sum(first.commit, first.verdict);
    first.commit.frame->release();
  }
}

// ---- reports

std::vector<std::string> FiniteBuffers::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < links_.ports(); ++p)
    if (const unsigned waiting = inputs_.size(p); waiting != 0)
      lines.push_back("port" + std::to_string(p) + ": " + std::to_string(waiting) + " frames in the input FIFO");
  for (const RingQueue<Request>& queue : requests_)
    if (!queue.empty())
      lines.push_back("combinator: " + std::to_string(queue.size()) + " sums wait for room in output queues");
  return lines;
}

void FiniteBuffers::reset() {
  for (RingQueue<Request>& queue : requests_)
    for (; !queue.empty(); queue.pop()) queue.front().commit.frame->release();
  inputs_.reset();
  outputs_.reset();
  held_.clear();
  changes_.clear();
  blocked_ = 0;
  rings_ = nullptr;
}

}  // namespace tributary
