#pragma once
/// BasicLinkTransmitter: definitions that are not inline, for the one source that instantiates it for a protocol.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "modules/link/core/link_transmitter.h"
#include "modules/protocol/chunk_bits.h"

namespace tributary {

/// Constructs the channels in place, as they cannot be moved.
template <class T, class Config, std::size_t... I>
std::array<T, sizeof...(I)> make_channels(const Config& config, ChunkStock& stock, std::index_sequence<I...>) {
  return {(static_cast<void>(I), T(config, stock))...};
}

template <class Protocol>
BasicLinkTransmitter<Protocol>::BasicLinkTransmitter(const Config& config)
    : LinkMeter(config.link.rate, config.link.latency.value,
                Serializer(config.link.rate, Protocol::flit_bytes).serve(0, Protocol::header_bytes / Protocol::flit_bytes),
                {Protocol::flit_bytes, config.max_flits, Protocol::id}, config.arena),
      vcs_(make_channels<Channel>(config.flow_control, config.arena.template of<ChunkStock>(),
                                  std::make_index_sequence<VCs>())),
      wire_(config.link.rate, Protocol::flit_bytes),
      queue_flits_(config.queue_flits),
      max_flits_(config.max_flits) {
  // LinkArrival stores it in 32 bits
  if (Serializer(config.link.rate, Protocol::flit_bytes).serve(0, max_flits_) >> 32 != 0)
    throw std::invalid_argument("a packet of " + std::to_string(max_flits_ * Protocol::flit_bytes) +
                                " B takes more than 4.29 ms of a link of " + to_string(config.link.rate));
}

// ---- with retransmission

// The selected VC waits for room in the replay buffer, even if another VC has a smaller packet.
template <class Protocol>
Tick BasicLinkTransmitter<Protocol>::protected_candidate(Tick horizon, unsigned& vc) {
  const Tick t = candidate(horizon, vc);
  return t > horizon ? t : retransmission_->room_from(t, vcs_[vc].queue.front().flits);
}

template <class Protocol>
typename BasicLinkTransmitter<Protocol>::Sent BasicLinkTransmitter<Protocol>::send_protected(unsigned vc, Tick now) {
  const unsigned flits = vcs_[vc].queue.front().flits;
  Sent s = send(vc, now);
  if (!retransmission_->send(s.packet, flits, now, s.tail - latency_)) s.packet = nullptr;
  return s;
}

template <class Protocol>
typename BasicLinkTransmitter<Protocol>::Sent BasicLinkTransmitter<Protocol>::repeat(Tick now) {
  const unsigned flits = retransmission_->take_repeat(now);
  if (flits == 0) return {nullptr, now, now};
  const Tick end = wire_.serve(now, flits);
  count(0, now, flits);
  if (busy.observed()) busy(now, 1), busy(end, 0);
  return {retransmission_->repeated(end), now + header_time_ + latency_, end + latency_};
}

// ---- reports

template <class Protocol>
bool BasicLinkTransmitter<Protocol>::quiescent() const {
  return (!retransmission_ || retransmission_->quiescent()) && std::all_of(vcs_.begin(), vcs_.end(), [](const Channel& c) {
           return c.queue.empty() && c.queued == 0 && c.flow.idle();
         });
}

template <class Protocol>
std::string BasicLinkTransmitter<Protocol>::waiting() const {
  std::string text;
  for (unsigned v = 0; v < VCs; ++v) {
    const Channel& c = vcs_[v];
    if (c.queue.empty() && c.flow.idle()) continue;
    text += (text.empty() ? "" : ", ") + std::string("vc") + std::to_string(v) + ": " + std::to_string(c.queue.size()) +
            " packets queued";
    if (const std::string flow = c.flow.waiting(); !flow.empty()) text += ", " + flow;
  }
  const std::string lost = retransmission_ ? retransmission_->waiting() : "";
  return text.empty() || lost.empty() ? text + lost : text + ", " + lost;
}

template <class Protocol>
void BasicLinkTransmitter<Protocol>::reset() {
  for (Channel& c : vcs_) {
    while (!c.queue.empty()) c.queue.front().packet->release(), c.queue.pop();
    c.flow.reset();
    c.queued = 0;
    c.head_ready = never;
    c.latest_ready = 0;
  }
  wire_.reset();
  if (retransmission_) retransmission_->reset();
  repeat_at_ = never;
  turn_ = 0;
}

template <class Protocol>
void BasicLinkTransmitter<Protocol>::describe(ProbeDirectory& directory, const std::string& prefix) {
  const char* const* const names = Protocol::opcode_names;
  directory.add(prefix + "output.queued", queued_packet, "a packet is queued and may leave", chunk_bits<Protocol>, names);
  directory.add(prefix + "link.sent", sent, "packet at the start of its serialisation", chunk_bits<Protocol>, names);
  directory.add_signal(prefix + "link.busy", busy, SignalKind::level, 1, "a packet is on the wire");
  if (retransmission_) retransmission_->describe(directory, prefix);
  for (unsigned v = 0; v < VCs; ++v) {
    const std::string vc = prefix + "output.vc" + std::to_string(v);
    directory.add_signal(vc + ".flits", vcs_[v].queued_probe, SignalKind::delta, bits_up_to(queue_capacity()),
                         Protocol::flit_bytes == 1 ? "bytes in the output queue" : "flits in the output queue");
    if constexpr (FlowControl::counts_flits)
      directory.add_signal(vc + ".credits_used", vcs_[v].credit_probe, SignalKind::delta,
                           bits_up_to(vcs_[v].flow.capacity()), "flits of the far buffer in use");
  }
}

}  // namespace tributary
