#pragma once
/// BasicOutgoingLinks: interface of a device's core to its links: packets sent, and buffer space returned.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/link/core/credit_batch.h"
#include "modules/link/core/device_ports.h"
#include "modules/link/core/link_output.h"
#include "modules/link/core/link_transmitter.h"

namespace tributary {

/// Packets and credits that have left a device in its window and are not yet delivered. One instance serves all devices of
/// an arena: they run one after another, and each leaves it empty (after an exception, reset() does) and in the cache for
/// the next.
template <unsigned max_ports>
struct LinksInFlight {
  PacketTrain train;                         // packets of a port that has sent nothing early
  std::array<PacketTrain, max_ports> early;  // by port: sent before the window's end
  BasicCreditBatch<max_ports> freed;
};

/// Links run by arithmetic at the end of a window, or earlier when room is requested. decide() derives from the known
/// credits how far each link may run: a link with credits for all that it can carry does not depend on future ones. The
/// time up to which it has run is the safe time of the far end (docs/timing.md).
template <class Protocol, unsigned max_ports = max_word_ports>
class BasicOutgoingLinks {
 public:
  using LinkTransmitter = BasicLinkTransmitter<Protocol>;
  using PortMask = PortMaskOf<max_ports>;

  /// Throws std::invalid_argument for more than `max_ports`.
  BasicOutgoingLinks(const std::vector<LinkTransmitter*>& transmitters, LinkOutput& wires)
      : wires_(wires),
        ports_(static_cast<unsigned>(transmitters.size())),
        arena_(transmitters.empty() ? Arena() : transmitters.front()->arena()),
        in_flight_(&arena_.template of<LinksInFlight<max_ports>>()) {
    if (transmitters.size() > max_ports)
      throw std::invalid_argument("a device has at most " + std::to_string(max_ports) + " ports");
    std::copy(transmitters.begin(), transmitters.end(), transmitters_.begin());
    reset_windows();
  }

  unsigned ports() const { return ports_; }
  const Arena& arena() const { return arena_; }
  /// Other devices of the arena may run within the windows of this device.
  void keep_apart() {
    own_ = std::make_unique<LinksInFlight<max_ports>>();
    in_flight_ = own_.get();
  }
  LinkTransmitter& operator[](unsigned port) { return *transmitters_[port]; }
  const LinkTransmitter& operator[](unsigned port) const { return *transmitters_[port]; }

  /// Records that a packet has been pushed there.
  void sending(unsigned port) { sending_ |= port_bit<PortMask>(port); }
  /// Frees buffer space of a port. Times of one port ascend.
  void free(unsigned port, Tick when, unsigned vc, unsigned flits) {
    if (in_flight_->freed.add(port, when, vc, flits)) give_back(port, 0);
  }

  /// Sets how far each link may run, if all credits that arrive before `known[port]` are known, and nothing has happened
  /// before `now`.
  void decide(Tick now, const Tick* known) {
    windowed_ = true;
    for (unsigned p = 0; p < ports_; ++p)
      decided_until_[p] = transmitters_[p]->decided_until(known[p] - 1, std::max(done_[p] + 1, now));
  }
  /// Returns the time up to which that link may run; `never` without windows.
  Tick decided_until(unsigned port) const { return decided_until_[port]; }

  /// Sends the packets that leave up to `horizon`, as far as the link may run; `sent(const LinkTransmitter::Sent&)` for
  /// each. The far end receives them when the window ends, as no other device runs before. Returns
  /// LinkTransmitter::run_until().
  template <class OnSent>
  Tick run(unsigned port, Tick horizon, OnSent&& sent) {
    assert(in_flight_->early[port].empty() || has_port(early_ports_, port));  // no other port's packets are left there
    const Tick next = load(port, std::min(horizon, decided_until_[port]), in_flight_->early[port], sent);
    if (!in_flight_->early[port].empty()) early_ports_ |= port_bit<PortMask>(port);
    return next;
  }
  /// Counts credits of a port, the first of them at `first`. Returns the earliest time at which one of them lets a packet
  /// leave; `never` unless `blocked`, that is, a packet waits for credits. A credit that arrives within the time already
  /// done has changed nothing.
  Tick credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count, bool blocked) {
    LinkTransmitter& tx = *transmitters_[port];
    const Tick done = windowed_ ? done_[port] : 0;
    Tick next = never;
    for (const LinkCredit* c = credits; c != credits + count; ++c) {
      const Tick when = first + c->after;
      tx.credit(c->vc, c->flits, when);
      if (blocked && when > done) next = std::min(next, tx.next_with_credit(c->vc, when));
    }
    return next;
  }
  /// Ends a window: runs all links up to `horizon`, delivers their packets, returns credits, and sends safe times with
  /// both. Returns the time of the next known packet.
  template <class OnSent>
  Tick finish(Tick horizon, OnSent&& sent) {
    Tick next = never;
    if (!windowed_) {
      for (PortMask left = sending_ | early_ports_; left != 0; left &= left - 1)
        next = std::min(next, send(first_port(left), horizon, 0, sent));
      while (in_flight_->freed.ports() != 0) give_back(first_port(in_flight_->freed.ports()), 0);
      return next;
    }
    for (unsigned p = 0; p < ports_; ++p) {
      done_[p] = std::min(horizon, decided_until_[p]);
      next = std::min(next, send(p, done_[p], done_[p] + 1 + transmitters_[p]->head_latency(), sent));
      give_back(p, horizon + 1);
    }
    assert(in_flight_->freed.ports() == 0);  // the next device uses it
    return next;
  }
  /// Returns the time up to which the links' work is done; 0 without windows.
  Tick done() const { return windowed_ ? *std::min_element(done_.begin(), done_.begin() + ports_) : 0; }

  void reset() {
    for (unsigned p = 0; p < ports_; ++p) transmitters_[p]->reset();
    for (PortMask left = std::exchange(early_ports_, PortMask{0}); left != 0; left &= left - 1)
      in_flight_->early[first_port(left)].empty_into([](Tick, const LinkArrival* packets, unsigned count) {
        for (unsigned i = 0; i < count; ++i) packets[i].packet->release();
      });
    in_flight_->freed.clear();
    sending_ = 0;
    reset_windows();
  }

 private:
  void give_back(unsigned port, Tick until) {
    in_flight_->freed.empty_into(port, [&](Tick first, const LinkCredit* credits, unsigned count) {
      wires_.return_credits(port, first, credits, count, until);
    });
  }
  template <class OnSent>
  Tick load(unsigned port, Tick horizon, PacketTrain& train, OnSent& sent) {
    LinkTransmitter& tx = *transmitters_[port];
    const Tick next = tx.run_until(horizon, [&](const typename LinkTransmitter::Sent& s) {
      sent(s);
      train.add(s.packet, s.head, s.tail);
    });
    if (tx.empty()) sending_ &= ~port_bit<PortMask>(port);
    return next;
  }
  // Sends the last packets of a window and delivers all of them to the far end.
  template <class OnSent>
  Tick send(unsigned port, Tick horizon, Tick until, OnSent& sent) {
    PacketTrain& train = has_port(early_ports_, port) ? in_flight_->early[port] : in_flight_->train;
    early_ports_ &= ~port_bit<PortMask>(port);
    const Tick next = has_port(sending_, port) ? load(port, horizon, train, sent) : never;
    if (train.empty() && until == 0) return next;
    train.empty_into(
        [&](Tick first, const LinkArrival* packets, unsigned count) { wires_.deliver(port, first, packets, count, until); });
    return next;
  }
  void reset_windows() {
    windowed_ = false;
    decided_until_.fill(never);
    done_.fill(0);
  }

  LinkOutput& wires_;
  unsigned ports_;
  PortMask sending_ = 0;      // ports with packets queued
  PortMask early_ports_ = 0;  // ports that have sent before the window's end
  bool windowed_ = false;
  std::array<LinkTransmitter*, max_ports> transmitters_{};
  std::array<Tick, max_ports> decided_until_, done_;  // by port: may run, has run up to
  Arena arena_;
  LinksInFlight<max_ports>* in_flight_;
  std::unique_ptr<LinksInFlight<max_ports>> own_;  // keep_apart()
};

}  // namespace tributary
