#pragma once
/// BasicSidePort: definitions that are not inline, for the one source that instantiates it for a protocol.

#include <utility>

#include "modules/protocol/chunk_bits.h"
#include "modules/timing/side_port.h"

namespace tributary {

template <class Protocol>
BasicSidePort<Protocol>::BasicSidePort(const char* name, SidePortDevice& device, SideReceiver& receiver, Tick delay,
                                       const Config& config)
    : device_(device),
      receiver_(receiver),
      delay_(delay),
      port_(name, static_cast<LinkPortListener&>(*this), device.side_activation(), 0, config),
      links_({&port_.transmitter()}, static_cast<LinkOutput&>(*this)) {
  static_assert(Protocol::FlowControl::counts_flits, "a side port has credits");
  links_.keep_apart();  // the device's other links use the shared storage in the same window
  device.add_side_port(*this);
}

template <class Protocol>
void BasicSidePort<Protocol>::on_packets(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) {
  if (count != 0 && first < packets_safe_until_) refuse_early("packet", port_.incoming_name(), first, packets_safe_until_);
  packets_safe_until_ = std::max(packets_safe_until_, safe_until);
  for (const LinkArrival* a = packets; a != packets + count; ++a)
    arrivals_.push(a->packet, first + a->after, first + a->after + a->duration);
  if (count != 0) device_.wake_for_side(first + delay_);
}

// Credits that arrive within the time already done have changed nothing.
template <class Protocol>
void BasicSidePort<Protocol>::on_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) {
  if (count != 0 && first < credits_safe_until_) refuse_early("credit", port_.outgoing_name(), first, credits_safe_until_);
  credits_safe_until_ = std::max(credits_safe_until_, safe_until);
  if (count == 0) return;
  last_credit_ = std::max(last_credit_, first + credits[count - 1].after);
  credits_.push_back({first, {credits, credits + count}});
  device_.wake_for_side(std::max(first, done_ + 1));
}

template <class Protocol>
void BasicSidePort<Protocol>::take_credits() {
  for (const Credits& c : credits_)
    links_.credit(0, c.first, c.credits.data(), static_cast<unsigned>(c.credits.size()), false);
  credits_.clear();
}

// Another device acts at `now` at the earliest, and its credits and packets cross the link after that.
template <class Protocol>
Tick BasicSidePort<Protocol>::safe(Tick now, Tick at_least) {
  const Tick known = std::max(at_least, now + port_.transmitter().latency());
  packets_safe_until_ = std::max(packets_safe_until_, known);
  credits_safe_until_ = std::max(credits_safe_until_, known);
  take_credits();
  links_.decide(now, &credits_safe_until_);
  return packets_safe_until_;
}

template <class Protocol>
void BasicSidePort<Protocol>::take(Tick horizon) {
  take_credits();
  for (; !arrivals_.empty() && arrivals_.front().head + delay_ <= horizon; arrivals_.pop()) {
    const Arrival a = arrivals_.front();
    receiver_.on_side_packet(a.packet, a.head, a.tail);
  }
}

template <class Protocol>
Tick BasicSidePort<Protocol>::finish(Tick until) {
  const Tick next = links_.finish(until, [](const typename BasicLinkTransmitter<Protocol>::Sent&) {});
  done_ = std::min(until, links_.decided_until(0));
  return std::min(next, arrivals_.empty() ? never : arrivals_.front().head + delay_);
}

template <class Protocol>
std::string BasicSidePort<Protocol>::waiting() const {
  std::string line = links_[0].waiting();
  if (!arrivals_.empty()) line += (line.empty() ? "" : ", ") + std::to_string(arrivals_.size()) + " packets arriving";
  return line.empty() ? "" : std::string(port_.name()) + ": " + line;
}

template <class Protocol>
void BasicSidePort<Protocol>::reset() {
  for (; !arrivals_.empty(); arrivals_.pop()) arrivals_.front().packet->release();
  links_.reset();
  credits_.clear();
  packets_safe_until_ = credits_safe_until_ = done_ = last_credit_ = 0;
}

template <class Protocol>
void BasicSidePort<Protocol>::describe(ProbeDirectory& directory) {
  port_.transmitter().describe(directory, std::string(port_.name()) + ".");
  directory.add(std::string(port_.name()) + ".input.arrived", port_.arrived, "a packet's header flit arrives",
                chunk_bits<Protocol>, Protocol::opcode_names);
}

}  // namespace tributary
