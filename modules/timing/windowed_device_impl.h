#pragma once
/// BasicWindowedDevice: definitions that are not inline, for the one source that instantiates it for a protocol.

#include <algorithm>
#include <utility>

#include "modules/protocol/chunk_bits.h"
#include "modules/timing/early_arrival.h"
#include "modules/timing/windowed_device.h"

namespace tributary {

template <class Protocol>
BasicWindowedDevice<Protocol>::BasicWindowedDevice(const sc_core::sc_module_name& name, Tick delay, const LinkParams& link,
                                                   const Arena& arena)
    : Device(name), delay_(delay), inbox_(delay, link, arena) {}

template <class Protocol>
std::vector<BasicLinkTransmitter<Protocol>*> BasicWindowedDevice<Protocol>::set_ports(const std::vector<LinkPort*>& ports) {
  links_ = ports;
  std::vector<LinkTransmitter*> transmitters;
  transmitters.reserve(ports.size());
  for (LinkPort* port : ports) transmitters.push_back(&port->transmitter());
  return transmitters;
}

template <class Protocol>
LinkEnd BasicWindowedDevice<Protocol>::link_end(unsigned port) {
  if (port >= links_.size()) return side_ports_[port - static_cast<unsigned>(links_.size())].end();
  LinkPort& link = *links_.at(port);
  return {link.out, link.in, link.transmitter(), &link};
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::on_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count,
                                               Tick safe_until) {
  if (__builtin_expect(runs_in_thread(), 0)) return keep_packets(port, first, packets, count, safe_until);
  Tick& safe = packets_safe_until_[port];
  if (__builtin_expect(count != 0 && first < safe, 0)) refuse_early("packet", links_[port]->incoming_name(), first, safe);
  safe = std::max(safe, safe_until);
  if (count == 0) return;
  show_in_flight(port, first, packets, count);
  wake(inbox_.put_packets(port, first, packets, count));
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::on_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count,
                                               Tick safe_until) {
  if (__builtin_expect(runs_in_thread(), 0)) return keep_credits(port, first, credits, count, safe_until);
  Tick& safe = credits_safe_until_[port];
  if (__builtin_expect(count != 0 && first < safe, 0)) refuse_early("credit", links_[port]->outgoing_name(), first, safe);
  safe = std::max(safe, safe_until);
  if (count == 0) return;
  last_credit_ = std::max(last_credit_, first + credits[count - 1].after);
  inbox_.put_credits(port, first, credits, count);
  wake(std::max(first, run_until_ + 1));
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::after_run() {
  for (const Kept& k : std::exchange(kept_, {})) {
    if (k.brings_credits)
      on_credits(k.port, k.first, k.credits.data(), static_cast<unsigned>(k.credits.size()), k.safe_until);
    else
      on_packets(k.port, k.first, k.packets.data(), static_cast<unsigned>(k.packets.size()), k.safe_until);
  }
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::take_credits() {
  inbox_.take_credits(
      [this](unsigned port, Tick first, const LinkCredit* credits, unsigned count) { credit(port, first, credits, count); });
}

// Links of side ports run as far as the device's other links: what the core has done beyond that may be incomplete.
template <class Protocol>
Tick BasicWindowedDevice<Protocol>::run_with_sides(Tick horizon) {
  side_ports_.take(horizon);
  const Tick next = run_core(inbox_, horizon);
  return std::min(next, side_ports_.finish(lookahead() == 0 ? horizon : std::min(horizon, sent_until())));
}

template <class Protocol>
Tick BasicWindowedDevice<Protocol>::run_until(Tick horizon) {
  for (LinkPort* link : links_) link->prefetch();
  take_credits();
  run_until_ = horizon;
  const Tick next = __builtin_expect(side_ports_.empty(), 1) ? run_core(inbox_, horizon) : run_with_sides(horizon);
  return std::min(next, inbox_.next());
}

template <class Protocol>
Tick BasicWindowedDevice<Protocol>::run_ahead(Tick limit) {
  for (LinkPort* link : links_) link->prefetch();
  const Tick now = this->now(), at_least = now + lookahead();
  take_credits();
  Tick horizon = limit;
  for (unsigned p = 0; p < links_.size(); ++p) {
    packets_safe_until_[p] = std::max(packets_safe_until_[p], at_least);
    credits_safe_until_[p] = std::max(credits_safe_until_[p], at_least);
    horizon = std::min(horizon, packets_safe_until_[p] + delay_ - 1);
  }
  const bool alone = __builtin_expect(side_ports_.empty(), 1);
  if (!alone) horizon = side_ports_.horizon(now, at_least, horizon);
  horizon = safe_horizon(now, horizon, credits_safe_until_.data());
  const Tick next = alone ? run_core(inbox_, horizon) : run_with_sides(horizon);
  run_until_ = std::min(horizon, sent_until());
  return std::min(next, inbox_.next());
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::cross_lane(unsigned port) {
  if (crossing_.empty()) join_lane();
  crossing_.push_back(port);
}

template <class Protocol>
Tick BasicWindowedDevice<Protocol>::unaffected_until() const {
  Tick until = crossing_.empty() ? 0 : never;
  for (const unsigned p : crossing_)
    until = std::min(until, p < links_.size() ? std::min(packets_safe_until_[p] + delay_, credits_safe_until_[p]) : 0);
  return until;
}

template <class Protocol>
bool BasicWindowedDevice<Protocol>::informed(Tick now) const {
  const Tick least = now + lookahead(), end = window_end(now);
  return std::all_of(crossing_.begin(), crossing_.end(), [&](unsigned p) {
    return p < links_.size() && credits_safe_until_[p] >= least && packets_safe_until_[p] >= least &&
           packets_safe_until_[p] + delay_ > end;
  });
}

template <class Protocol>
std::string BasicWindowedDevice<Protocol>::waiting_in_inbox() const {
  return inbox_.packets() == 0 ? "" : "inbox: " + std::to_string(inbox_.packets()) + " packets";
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::describe_ports(ProbeDirectory& directory) {
  for (LinkPort* port : links_)
    directory.add(std::string(port->name()) + ".input.arrived", port->arrived, "a packet's header flit arrives",
                  chunk_bits<Protocol>, Protocol::opcode_names);
  side_ports_.describe(directory);
}

template <class Protocol>
void BasicWindowedDevice<Protocol>::reset_links() {
  inbox_.reset();
  side_ports_.reset();
  packets_safe_until_.fill(0);
  credits_safe_until_.fill(0);
  run_until_ = last_credit_ = 0;
}

}  // namespace tributary
