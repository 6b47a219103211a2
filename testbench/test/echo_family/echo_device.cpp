#include "testbench/test/echo_family/echo_device.h"

#include <algorithm>

#include "modules/protocol/nvlink.h"

namespace tributary {

EchoDevice::EchoDevice(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool,
                       CompletionListener& listener)
    : Device(name),
      port("port0", static_cast<LinkPortListener&>(*this), activation(), 0, config.link),
      config_(config),
      pool_(pool),
      listener_(listener),
      link_(port.transmitter()) {}

void EchoDevice::post(unsigned bytes, Tick start) {
  bytes_ = bytes, start_ = start;
  to_send_ = to_return_ = true;
  wake(start);
}

Tick EchoDevice::run_ahead(Tick limit) { return run_until(std::min(limit, activation() + lookahead() - 1)); }

Tick EchoDevice::run_until(Tick horizon) {
  if (to_send_ && start_ <= horizon) {
    send(config_.index, bytes_, start_);
    to_send_ = false;
  }
  std::size_t taken = 0;
  for (; taken < arrivals_.size() && arrivals_[taken].tail <= horizon; ++taken) take(arrivals_[taken]);
  arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(taken));
  Tick next = link_.run_until(horizon, [this](const NvLinkTransmitter::Sent& s) {
    const LinkArrival arrival(0, s.tail - s.head, s.packet);
    port.deliver(s.head, &arrival, 1, 0);
  });
  if (to_send_) next = std::min(next, start_);
  return arrivals_.empty() ? next : std::min(next, arrivals_.front().tail);
}

void EchoDevice::take(const Arrival& arrival) {
  Packet& packet = *arrival.packet;
  delivered(arrival.tail, view_of<NvLink>(packet));
  const LinkCredit room{0, packet.vc, flits_of<NvLink>(packet)};
  port.return_credits(arrival.tail, &room, 1, 0);
  if (nv(packet).source == config_.index) {
    to_return_ = false;
    listener_.done(config_.index, arrival.tail);
  } else {
    echoes(arrival.tail, ++echoed_);
    send(nv(packet).source, packet.payload_bytes, std::max(arrival.tail, start_) + config_.turnaround);
  }
  packet.release();
}

void EchoDevice::send(unsigned source, unsigned bytes, Tick when) {
  Packet* packet = pool_.make(bytes, false);
  nv(*packet).source = static_cast<std::uint16_t>(source);
  packet->born = when;
  link_.push(packet, packet->vc, flits_of<NvLink>(*packet), when, when);
}

void EchoDevice::on_packets(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick) {
  for (const LinkArrival* a = packets; a != packets + count; ++a) {
    arrivals_.push_back({first + a->after + a->duration, a->packet});
    wake(arrivals_.back().tail);
  }
}

void EchoDevice::on_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick) {
  for (const LinkCredit* c = credits; c != credits + count; ++c) {
    last_credit_ = std::max(last_credit_, first + c->after);
    link_.credit(c->vc, c->flits, first + c->after);
    wake(link_.next_with_credit(c->vc, first + c->after));
  }
}

std::vector<std::string> EchoDevice::waiting() const {
  std::vector<std::string> lines;
  if (to_return_) lines.push_back(std::string(name()) + " waits for the echo of its packet");
  if (const std::string link = link_.waiting(); !link.empty()) lines.push_back(std::string(name()) + ".port0." + link);
  return lines;
}

void EchoDevice::reset() {
  for (const Arrival& a : arrivals_) a.packet->release();
  arrivals_.clear();
  link_.reset();
  start_ = never, to_send_ = to_return_ = false, echoed_ = 0;
}

void EchoDevice::describe(ProbeDirectory& directory) {
  const std::string prefix = name();
  directory.add(prefix + ".delivered", delivered, "a packet whose last flit has arrived");
  directory.add_signal(prefix + ".echoes", echoes, SignalKind::strobe, 32, "a packet is sent back (number of the echo)");
  link_.describe(directory, prefix + ".port0.link");
}

}  // namespace tributary
