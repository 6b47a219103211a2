#include "modules/link/core/link_transmitter.h"

#include <algorithm>
#include <cassert>

namespace tributary {
namespace {
std::uint64_t minus(unsigned flits) { return ~std::uint64_t{flits} + 1; }
}  // namespace

LinkTransmitter::LinkTransmitter(const Config& config)
    : vcs_{Channel(config.credit_flits), Channel(config.credit_flits)},
      wire_(config.link.rate),
      header_time_(wire_.flit_time()),
      latency_(config.link.latency.value),
      rate_(config.link.rate),
      queue_flits_(config.queue_flits) {}

void LinkTransmitter::reserve(unsigned vc, unsigned flits, Tick now) {
  assert(has_room(vc, flits));
  vcs_[vc].queued += flits;
  vcs_[vc].queued_probe(now, flits);
}

void LinkTransmitter::release(unsigned vc, unsigned flits, Tick now) {
  assert(vcs_[vc].queued >= flits);
  vcs_[vc].queued -= flits;
  vcs_[vc].queued_probe(now, minus(flits));
}

void LinkTransmitter::push_reserved(Packet* packet, unsigned vc, unsigned flits, Tick ready, Tick tail) {
  vcs_[vc].queue.insert_sorted({ready, packet, static_cast<std::uint32_t>(tail - ready), flits}, [](const Entry& a, const Entry& b) { return a.ready < b.ready; });
}

void LinkTransmitter::credit(unsigned vc, unsigned flits, Tick when) {
  Channel& c = vcs_[vc];
  c.credits.give_back(when, flits);
  c.credit_probe(when, minus(flits));
}

Tick LinkTransmitter::candidate(Tick horizon, unsigned& vc) {
  Tick best = never;
  for (unsigned k = 0; k < vc_count; ++k) {
    const unsigned v = (turn_ + k) % vc_count;
    Channel& c = vcs_[v];
    if (c.queue.empty()) continue;
    const Entry& head = c.queue.front();
    Tick t = std::max(head.ready, wire_.free_at());
    if (t <= horizon) {
      c.credits.absorb(t);
      if (c.credits.available() < head.flits) t = std::max(t, c.credits.when_available(head.flits));
    }
    if (t < best) best = t, vc = v;
  }
  return best;
}

LinkTransmitter::Sent LinkTransmitter::send(unsigned vc, Tick now) {
  Channel& c = vcs_[vc];
  const Entry entry = c.queue.front();
  c.queue.pop();
  if (!c.queue.empty()) __builtin_prefetch(c.queue.front().packet);
  turn_ = (vc + 1) % vc_count;
  c.credits.absorb(now);
  c.credits.spend(entry.flits);
  release(vc, entry.flits, now);
  const Tick end = wire_.serve(now, entry.flits, entry.ready + entry.tail_after);
  sent(now, *entry.packet);
  if (busy.observed()) busy(now, 1), busy(end, 0);
  c.credit_probe(now, entry.flits);
  return {entry.packet, now + header_time_ + latency_, end + latency_};
}

bool LinkTransmitter::quiescent() const {
  return std::all_of(vcs_.begin(), vcs_.end(),
                     [](const Channel& c) { return c.queue.empty() && c.queued == 0 && c.credits.all_home(); });
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
  return text;
}

void LinkTransmitter::reset() {
  for (Channel& c : vcs_) {
    while (!c.queue.empty()) c.queue.front().packet->release(), c.queue.pop();
    c.credits.reset();
    c.queued = 0;
  }
  wire_.reset();
  turn_ = 0;
}

void LinkTransmitter::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "link.sent", sent, "packet at the start of its serialisation");
  directory.add_signal(prefix + "link.busy", busy, SignalKind::level, 1, "a packet is on the wire");
  for (unsigned v = 0; v < vc_count; ++v) {
    const std::string vc = prefix + "output.vc" + std::to_string(v);
    directory.add_signal(vc + ".flits", vcs_[v].queued_probe, SignalKind::delta, 16, "flits in the output queue");
    directory.add_signal(vc + ".credits_used", vcs_[v].credit_probe, SignalKind::delta, 16, "flits of the far buffer in use");
  }
}

}  // namespace tributary
