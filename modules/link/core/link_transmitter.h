#pragma once
/// BasicLinkTransmitter: the sending end of a link, with a queue per VC, flow control, and the serializer.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <string>

#include "modules/base/host/pooled_queue.h"
#include "modules/base/probe.h"
#include "modules/link/core/link_meter.h"
#include "modules/link/core/link_transfer.h"
#include "modules/link/core/serializer.h"
#include "modules/link/flow_control/credits.h"
#include "modules/link/link_params.h"
#include "modules/packet/packet.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// Number of VCs, from VC 0, with strict priority: Protocol::strict_vcs, or none.
template <class Protocol, class = void>
inline constexpr unsigned strict_vcs = 0;
template <class Protocol>
inline constexpr unsigned strict_vcs<Protocol, std::void_t<decltype(Protocol::strict_vcs)>> = Protocol::strict_vcs;

/// Sends a packet when the link is free and flow control permits: with credits, when the far buffer has room for the whole
/// packet (virtual cut-through). Order is kept within each VC; VCs share the link in round robin, except strict ones. Times
/// follow by arithmetic from queue contents and credits, so its owner runs it once per window, or earlier when it needs
/// room. The packet on the wire is in the serializer, no longer in the queue. `Protocol`: modules/protocol/traits.h. Sizes
/// are in its flits.
template <class Protocol>
class BasicLinkTransmitter : public LinkMeter {
 public:
  using FlowControl = typename Protocol::FlowControl;
  static constexpr unsigned VCs = Protocol::vcs, largest_packet = max_packet_bytes<Protocol>() / Protocol::flit_bytes;
  struct Config {
    LinkParams link;
    typename FlowControl::Config flow_control{};  ///< per VC; for credits: buffer at the far end, in flits
    unsigned queue_flits = 0;                     ///< per VC: capacity of the queue; 0: unlimited
    unsigned max_flits = largest_packet;          ///< largest packet
    Arena arena{};                                ///< shared by the platform
  };
  struct Sent {
    Packet* packet;  ///< with the reference that the queue held
    Tick head;       ///< arrival of the header flit at the far end
    Tick tail;       ///< arrival of the last flit
  };

  explicit BasicLinkTransmitter(const Config& config);

  /// Returns true if a packet of that size may be pushed (or room reserved).
  bool has_room(unsigned vc, unsigned flits) const { return queue_flits_ == 0 || vcs_[vc].queued + flits <= queue_flits_; }
  /// Reserves room for a later packet (push_reserved), or until release().
  void reserve(unsigned vc, unsigned flits, Tick now) {
    assert(has_room(vc, flits));
    vcs_[vc].queued += flits;
    vcs_[vc].queued_probe(now, flits);
  }
  void release(unsigned vc, unsigned flits, Tick now);

  /// Queues a packet that may leave from `ready` on and is fully buffered at `tail`; takes over one reference.
  void push(Packet* packet, unsigned vc, unsigned flits, Tick ready, Tick tail) {
    reserve(vc, flits, ready);
    push_reserved(packet, vc, flits, ready, tail);
  }
  void push_reserved(Packet* packet, unsigned vc, unsigned flits, Tick ready, Tick tail) {
    Channel& c = vcs_[vc];
    const auto tail_after = static_cast<std::uint32_t>(tail - ready);
    if (ready >= c.latest_ready)  // the usual case, without a read of the queue's contents
      c.queue.push(c.latest_ready = ready, packet, tail_after, flits);
    else
      c.queue.insert_sorted([](const Entry& a, const Entry& b) { return a.ready < b.ready; }, ready, packet, tail_after,
                            flits);
    c.head_ready = std::min(c.head_ready, ready);
    show<Protocol>(queued_packet, ready, *packet);
  }

  /// Shows credits in flight at their time of return, before they are counted.
  void show_in_flight(Tick first, const LinkCredit* credits, unsigned count) const {
    if constexpr (!FlowControl::counts_flits) return;
    bool observed = false;
    for (const Channel& c : vcs_) observed |= c.credit_probe.observed();
    if (__builtin_expect(observed, 0))
      for (const LinkCredit* c = credits; c != credits + count; ++c)
        vcs_[c->vc].credit_probe(first + c->after, minus(c->flits));
  }
  /// Adds credits for buffer space at the far end, which arrive at `when`.
  void credit(unsigned vc, unsigned flits, Tick when);

  /// Sends all packets that can leave up to and including `horizon`, in order of time: `deliver(const Sent&)` for each. All
  /// packets that may leave by then must have been pushed. Returns the time of the next known packet, later than
  /// `horizon`; `never` if nothing is queued or the next packet needs credits not yet known.
  template <class Deliver>
  Tick run_until(Tick horizon, Deliver&& deliver) {
    if (__builtin_expect(retransmission_ != nullptr, 0)) return run_protected(horizon, deliver);
    for (;;) {
      unsigned vc = 0;
      const Tick t = candidate(horizon, vc);
      if (t > horizon) return t;
      deliver(send(vc, t));
    }
  }
  /// Returns the time up to which its decisions are certain, from `from` on, if all returns up to `known` are known.
  Tick decided_until(Tick known, Tick from) const {
    const Tick start = std::max(from, wire_.free_at());
    Tick until = never;
    for (const Channel& c : vcs_) until = std::min(until, c.flow.decided_until(known, start, max_flits_, wire_.flit_time()));
    return until;
  }
  /// Returns the queue capacity of a VC, in flits.
  unsigned queue_capacity() const { return queue_flits_ == 0 ? ~0u : queue_flits_; }
  /// Returns when a packet of that VC can leave thanks to a credit that returns at `when`.
  Tick next_with_credit(unsigned vc, Tick when) const {
    const Channel& c = vcs_[vc];
    if (c.queue.empty()) return never;
    const Tick start = c.flow.may_start_with(when, c.queue.front().flits);
    return start == never ? never : std::max({start, wire_.free_at(), c.head_ready});
  }

  /// Returns the time at which the wire is free.
  Tick free_at() const { return wire_.free_at(); }
  /// Returns true if no packet is known that is still to be sent.
  bool empty() const {
    Tick any = repeat_at_;
    for (const Channel& c : vcs_) any &= c.head_ready;
    return any == never;
  }
  /// Returns the counter of flits queued in a VC, reservations included.
  const unsigned& queued_flits(unsigned vc) const { return vcs_[vc].queued; }
  unsigned queued_packets(unsigned vc) const { return vcs_[vc].queue.size(); }
  /// Prefetches the head of each queue into the host's caches.
  void prefetch_heads() const {
    for (const Channel& c : vcs_) c.queue.prefetch_front();
  }
  bool quiescent() const;
  /// Returns one line about pending packets and credits, or an empty string.
  std::string waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Entry {
    Tick ready;
    Packet* packet;
    std::uint32_t tail_after;  // relative to `ready`
    std::uint32_t flits;       // stored here, as the packet itself may have left the cache
  };
  struct Channel {
    Channel(const typename FlowControl::Config& config, ChunkStock& stock) : queue(stock), flow(config) {}
    PooledQueue<Entry> queue;
    Tick head_ready = never;  // `ready` of the first entry; never without one
    Tick latest_ready = 0;    // latest `ready` of all entries
    FlowControl flow;
    unsigned queued = 0;  // in flits, reservations included
    SignalProbe queued_probe, credit_probe;
  };
  Tick candidate(Tick horizon, unsigned& vc);
  Tick candidate_of_two(Tick horizon, unsigned& vc);
  Tick candidate_of_many(Tick horizon, unsigned& vc);
  Sent send(unsigned vc, Tick now);
  /// Returns the next VC in the round robin; a strict VC does not change it.
  unsigned next_turn(unsigned vc) const {
    constexpr unsigned strict = strict_vcs<Protocol>;
    if constexpr (strict != 0) return vc < strict ? turn_ : (vc - strict + 1) % (VCs - strict);
    return VCs == 2 ? vc ^ 1u : (vc + 1) % VCs;
  }
  /// Returns true if VC `a`, the higher number, has its turn before VC `b`.
  bool precedes(unsigned a, unsigned b) const {
    constexpr unsigned strict = strict_vcs<Protocol>;
    return b >= strict && turns_until(a) < turns_until(b);
  }
  unsigned turns_until(unsigned vc) const {
    constexpr unsigned strict = strict_vcs<Protocol>, others = VCs - strict < 1 ? 1 : VCs - strict;
    return (vc - strict + others - turn_ % others) % others;
  }
  void count(unsigned packets, Tick start, unsigned flits) {
    const std::uint32_t bytes = flits * Protocol::flit_bytes;
    traffic_ = {traffic_.packets + packets, traffic_.bytes + bytes, start, bytes};
  }

  /// Run with retransmission: repeated packets have priority over new ones.
  template <class Deliver>
  [[gnu::noinline, gnu::cold]] Tick run_protected(Tick horizon, Deliver&& deliver) {
    for (;;) {
      unsigned vc = 0;
      repeat_at_ = before_death(retransmission_->repeat_at(wire_.free_at()));
      const Tick fresh = before_death(protected_candidate(horizon, vc));
      const Tick t = std::min(repeat_at_, fresh);
      if (t > horizon) return t;
      const Sent sent_now = repeat_at_ == t ? repeat(t) : send_protected(vc, t);
      if (sent_now.packet != nullptr) deliver(sent_now);
    }
  }
  Tick before_death(Tick t) const { return t < retransmission_->dead_at() ? t : never; }
  Tick protected_candidate(Tick horizon, unsigned& vc);
  Sent send_protected(unsigned vc, Tick now);  // packet is null if lost
  Sent repeat(Tick now);

  std::array<Channel, VCs> vcs_;
  Serializer wire_;
  unsigned queue_flits_;
  unsigned max_flits_;
  unsigned turn_ = 0;  // VC with the next turn
  Tick repeat_at_ = never;
};

template <class Protocol>
inline void BasicLinkTransmitter<Protocol>::release(unsigned vc, unsigned flits, Tick now) {
  assert(vcs_[vc].queued >= flits);
  vcs_[vc].queued -= flits;
  vcs_[vc].queued_probe(now, minus(flits));
}

template <class Protocol>
inline void BasicLinkTransmitter<Protocol>::credit(unsigned vc, unsigned flits, Tick when) {
  Channel& c = vcs_[vc];
  c.flow.give_back(when, flits, wire_.free_at());
}

// A time beyond the horizon is only a lower bound, as not all credits are known there.
template <class Protocol>
inline Tick BasicLinkTransmitter<Protocol>::candidate(Tick horizon, unsigned& vc) {
  if constexpr (VCs == 2) return candidate_of_two(horizon, vc);
  return candidate_of_many(horizon, vc);
}

// VCs are looked at in the order of their numbers, as their turns decide only between equal times.
template <class Protocol>
inline Tick BasicLinkTransmitter<Protocol>::candidate_of_many(Tick horizon, unsigned& vc) {
  const Tick free = wire_.free_at();
  Tick first = never, later = never;
  for (unsigned v = 0; v < VCs; ++v) {
    Channel& c = vcs_[v];
    Tick t = std::max(c.head_ready, free);
    if (t <= horizon) t = c.flow.may_start(t, c.queue.front().flits);
    if (t > horizon)
      later = std::min(later, t);
    else if (t < first || (t == first && precedes(v, vc)))
      first = t, vc = v;
  }
  return std::min(first, later);
}

// Special case of two VCs, without loop or branches: every packet of an NVLink-like link passes here.
template <class Protocol>
inline Tick BasicLinkTransmitter<Protocol>::candidate_of_two(Tick horizon, unsigned& vc) {
  const Tick free = wire_.free_at();
  Tick t0 = std::max(vcs_[0].head_ready, free), t1 = std::max(vcs_[1].head_ready, free);
  if (t0 <= horizon) t0 = vcs_[0].flow.may_start(t0, vcs_[0].queue.front().flits);
  if (t1 <= horizon) t1 = vcs_[1].flow.may_start(t1, vcs_[1].queue.front().flits);
  vc = t1 < t0 || (t1 == t0 && turn_ == 1) ? 1 : 0;
  return std::min(t0, t1);
}

template <class Protocol>
inline typename BasicLinkTransmitter<Protocol>::Sent BasicLinkTransmitter<Protocol>::send(unsigned vc, Tick now) {
  Channel& c = vcs_[vc];
  Packet* const packet = c.queue.front().packet;
  const unsigned flits = c.queue.front().flits;
  const Tick tail = c.queue.front().ready + c.queue.front().tail_after;
  c.queue.pop();
  c.head_ready = never;
  if (!c.queue.empty()) c.head_ready = c.queue.front().ready;
  turn_ = next_turn(vc);
  c.flow.spend(now, flits);
  release(vc, flits, now);
  const Tick end = wire_.serve(now, flits, tail);
  count(1, now, flits);
  show<Protocol>(sent, now, *packet);
  if (busy.observed()) busy(now, 1), busy(end, 0);
  if constexpr (FlowControl::counts_flits) c.credit_probe(now, flits);
  return {packet, now + header_time_ + latency_, end + latency_};
}

}  // namespace tributary
