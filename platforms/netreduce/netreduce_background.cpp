/// NetReducePlatform: background traffic of its hosts.

#include <algorithm>

#include "platforms/netreduce/netreduce_platform.h"

namespace tributary {

unsigned NetReducePlatform::largest_frame() const {
  const auto wire = [](FrameKind kind, Bytes payload) {
    return EthernetFrame::wire_bytes(kind, static_cast<unsigned>(payload.value));
  };
  const unsigned write = wire(FrameKind::write_only_immediate, config_.params.nic.mtu);
  return config_.background ? std::max(write, wire(FrameKind::datagram, config_.params.background.payload)) : write;
}

std::optional<DatagramSource::Config> NetReducePlatform::datagrams_of(unsigned host) const {
  const auto hosts = static_cast<unsigned>(racks_.all_hosts());
  if (!config_.background || hosts < 2) return std::nullopt;
  const HostBackground& b = *config_.background;
  DatagramSource::Config c;
  c.station = static_cast<std::uint16_t>(host);
  const std::optional<unsigned> target = b.target ? std::optional(host_of(static_cast<unsigned>(*b.target))) : std::nullopt;
  if (target == host) return std::nullopt;
  for (unsigned h = 0; h < hosts; ++h)
    if (target ? *target == h : h != host) c.destinations.push_back(static_cast<std::uint16_t>(h));
  const BackgroundParams& p = config_.params.background;
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(config_.params.link.rate.value) * b.load);
  c.rate = bytes_per_second(std::max<std::uint64_t>(1, rate));
  c.payload = static_cast<unsigned>(p.payload.value);
  c.gaps = p.gaps;
  c.queue = p.queue;
  c.udp_port = static_cast<std::uint16_t>(RingManager::first_udp_port + host);
  c.seed = config_.seed;
  return c;
}

void NetReducePlatform::start_background(Tick t0) {
  for (EthernetHost* h : hosts_) {
    if (h->datagrams() == nullptr) continue;
    h->start_datagrams(t0);
    if (const auto& duration = config_.params.background.duration) h->datagrams()->stop(t0 + duration->value);
  }
}

void NetReducePlatform::stop_background(Tick end) {
  for (EthernetHost* h : hosts_)
    if (h->datagrams() != nullptr) h->datagrams()->stop(end);
}

}  // namespace tributary
