#include "modules/link/core/link_transmitter.h"

#include <algorithm>
#include <cassert>

namespace tributary {
namespace {
std::uint64_t minus(unsigned flits) { return ~std::uint64_t{flits} + 1; }
}  // namespace

static_assert(vc_count == 2, "the choice between VCs is written out");

LinkTransmitter::LinkTransmitter(const Config& config)
    : vcs_{Channel(config.credit_flits), Channel(config.credit_flits)},
      wire_(config.link.rate),
      header_time_(wire_.flit_time()),
      latency_(config.link.latency.value),
      rate_(config.link.rate),
      queue_flits_(config.queue_flits) {}

void LinkTransmitter::release(unsigned vc, unsigned flits, Tick now) {
  assert(vcs_[vc].queued >= flits);
  vcs_[vc].queued -= flits;
  vcs_[vc].queued_probe(now, minus(flits));
}

void LinkTransmitter::credit(unsigned vc, unsigned flits, Tick when) {
  Channel& c = vcs_[vc];
  c.credits.give_back(when, flits, wire_.free_at());
  c.credit_probe(when, minus(flits));
}

// Later than the horizon it is not yet known which credits will be back.
Tick LinkTransmitter::candidate(Tick horizon, unsigned& vc) {
  const Tick free = wire_.free_at();
  Tick t0 = std::max(vcs_[0].head_ready, free), t1 = std::max(vcs_[1].head_ready, free);
  if (t0 <= horizon) t0 = vcs_[0].credits.available_from(t0, vcs_[0].queue.front().flits);
  if (t1 <= horizon) t1 = vcs_[1].credits.available_from(t1, vcs_[1].queue.front().flits);
  vc = t1 < t0 || (t1 == t0 && turn_ == 1) ? 1 : 0;
  return std::min(t0, t1);
}

LinkTransmitter::Sent LinkTransmitter::send(unsigned vc, Tick now) {
  Channel& c = vcs_[vc];
  Packet* const packet = c.queue.front().packet;
  const unsigned flits = c.queue.front().flits;
  const Tick tail = c.queue.front().ready + c.queue.front().tail_after;
  c.queue.pop();
  c.head_ready = never;
  if (!c.queue.empty()) c.head_ready = c.queue.front().ready;
  turn_ = vc ^ 1u;
  c.credits.spend(now, flits);
  release(vc, flits, now);
  const Tick end = wire_.serve(now, flits, tail);
  traffic_ = {traffic_.packets + 1, traffic_.flits + flits, now, flits};
  sent(now, *packet);
  if (busy.observed()) busy(now, 1), busy(end, 0);
  c.credit_probe(now, flits);
  return {packet, now + header_time_ + latency_, end + latency_};
}

// ---- with retransmission

void LinkTransmitter::protect(const LinkRetransmission::Config& config) {
  retransmission_ = std::make_unique<LinkRetransmission>(config, latency_, header_time_ + latency_);
}

// Whoever has its turn waits for room in the replay buffer, even if the other VC has a smaller packet.
Tick LinkTransmitter::protected_candidate(Tick horizon, unsigned& vc) {
  const Tick t = candidate(horizon, vc);
  return t > horizon ? t : retransmission_->room_from(t, vcs_[vc].queue.front().flits);
}

LinkTransmitter::Sent LinkTransmitter::send_protected(unsigned vc, Tick now) {
  const unsigned flits = vcs_[vc].queue.front().flits;
  Sent s = send(vc, now);
  if (!retransmission_->send(s.packet, flits, now, s.tail - latency_)) s.packet = nullptr;
  return s;
}

LinkTransmitter::Sent LinkTransmitter::repeat(Tick now) {
  const unsigned flits = retransmission_->take_repeat(now);
  if (flits == 0) return {nullptr, now, now};
  const Tick end = wire_.serve(now, flits);
  traffic_ = {traffic_.packets, traffic_.flits + flits, now, flits};
  if (busy.observed()) busy(now, 1), busy(end, 0);
  return {retransmission_->repeated(end), now + header_time_ + latency_, end + latency_};
}

// ---- what it shows

bool LinkTransmitter::quiescent() const {
  return (!retransmission_ || retransmission_->quiescent()) && std::all_of(vcs_.begin(), vcs_.end(), [](const Channel& c) {
           return c.queue.empty() && c.queued == 0 && c.credits.all_home();
         });
}

std::string LinkTransmitter::waiting() const {
  std::string text;
  for (unsigned v = 0; v < vc_count; ++v) {
    const Channel& c = vcs_[v];
    if (c.queue.empty() && c.credits.all_home()) continue;
    text += (text.empty() ? "" : ", ") + std::string("vc") + std::to_string(v) + ": " + std::to_string(c.queue.size()) +
            " packets queued, " + std::to_string(c.credits.outstanding()) + " of " + std::to_string(c.credits.capacity()) +
            " credits held";
  }
  const std::string lost = retransmission_ ? retransmission_->waiting() : "";
  return text.empty() || lost.empty() ? text + lost : text + ", " + lost;
}

void LinkTransmitter::reset() {
  for (Channel& c : vcs_) {
    while (!c.queue.empty()) c.queue.front().packet->release(), c.queue.pop();
    c.credits.reset();
    c.queued = 0;
    c.head_ready = never;
  }
  wire_.reset();
  if (retransmission_) retransmission_->reset();
  repeat_at_ = never;
  turn_ = 0;
}

void LinkTransmitter::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "link.sent", sent, "packet at the start of its serialisation");
  directory.add_signal(prefix + "link.busy", busy, SignalKind::level, 1, "a packet is on the wire");
  if (retransmission_) retransmission_->describe(directory, prefix);
  for (unsigned v = 0; v < vc_count; ++v) {
    const std::string vc = prefix + "output.vc" + std::to_string(v);
    directory.add_signal(vc + ".flits", vcs_[v].queued_probe, SignalKind::delta, 16, "flits in the output queue");
    directory.add_signal(vc + ".credits_used", vcs_[v].credit_probe, SignalKind::delta, 16,
                         "flits of the far buffer in use");
  }
}

}  // namespace tributary
