#include "platforms/blink/server_wires.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "modules/base/host/wide.h"
#include "modules/protocol/schedule_nic.h"
#include "modules/streams/core/burst_cutter.h"

namespace tributary {
namespace {

constexpr std::uint64_t data = 256;  // bytes of payload for which TLPs are counted

}  // namespace

CopyFraming ServerWires::tlps(Bytes payload) const {
  const std::uint64_t count = (data + payload.value - 1) / payload.value, overhead = count * params_.pcie.overhead.value;
  const std::uint64_t burst = largest_burst_flits * ScheduleNicLink::flit_bytes / (data + overhead);
  CopyFraming framing;
  framing.payload = data;
  framing.overhead = static_cast<std::uint16_t>(overhead);
  framing.burst = static_cast<std::uint16_t>(burst);
  return framing;
}

CopyFraming ServerWires::framing(int from, int to, CopyPath path) const {
  if (path == CopyPath::nvlink) {
    CopyFraming framing;
    framing.payload = static_cast<std::uint16_t>(params_.gpu.nvlink.payload.value);
    framing.overhead = ScheduleNicLink::header_bytes;
    framing.burst = static_cast<std::uint16_t>(params_.gpu.copy.burst);
    return framing;
  }
  return tlps(path == CopyPath::pcie && servers_.through_processor(from, to) ? params_.pcie.cpu_payload
                                                                             : params_.pcie.payload);
}

Bandwidth ServerWires::wire_rate(Bandwidth payload_rate, const CopyFraming& framing) {
  const double share = static_cast<double>(framing.payload + framing.overhead) / framing.payload;
  return bytes_per_second(static_cast<std::uint64_t>(std::llround(static_cast<double>(payload_rate.value) * share)));
}

Bandwidth ServerWires::payload_rate(int from, int to, CopyPath path) const {
  const CopyFraming f = framing(from, to, path);
  const auto payload = [&](Bandwidth wire) { return bytes_per_second(wire.value / (f.payload + f.overhead) * f.payload); };
  if (path == CopyPath::nvlink) return payload(*params_.gpu.nvlink.rate);
  std::optional<Bandwidth> least;
  for (const topology::PortRef port : servers_.route(from, to)) {
    const bool processors = servers_.kind(port) == topology::ServerLink::processors;
    const Bandwidth rate = processors ? params_.pcie.socket_rate : payload(link(port).rate);
    least = std::min(least.value_or(rate), rate);
  }
  return *least;
}

Bandwidth ServerWires::host_rate(int gpu) const {
  const CopyFraming f = tlps(params_.pcie.cpu_payload);
  const int gpus = servers_.server().gpus(), first = servers_.server_of(gpu) * gpus;
  Bandwidth least = bytes_per_second(~std::uint64_t{0});
  for (int far = first; far < first + gpus; ++far) {
    if (far == gpu || !servers_.through_processor(gpu, far)) continue;
    for (const topology::PortRef port : servers_.route(gpu, far)) {
      least = std::min(least, bytes_per_second(link(port).rate.value / (f.payload + f.overhead) * f.payload));
      if (servers_.is_socket(servers_.graph().peer(port)->node)) return least;
    }
  }
  throw std::logic_error("a GPU reaches no processor");
}

Bandwidth ServerWires::raw_rate(topology::PortRef port, std::optional<Bandwidth> set, Bandwidth standard) const {
  const std::uint64_t of_file = servers_.rate_of_file(port);
  return set ? *set : of_file != 0 ? bytes_per_second(of_file) : standard;
}

LinkParams ServerWires::link(topology::PortRef port) const {
  LinkParams link;
  link.latency = params_.pcie.latency;
  switch (const topology::ServerLink kind = servers_.kind(port)) {
    case topology::ServerLink::nvlink:
      link.rate = bytes_per_second(params_.gpu.nvlink.rate->value * static_cast<std::uint64_t>(servers_.bonded(port)));
      link.latency = params_.gpu.nvlink.latency;
      break;
    case topology::ServerLink::pcie: {
      const Bandwidth rate = raw_rate(port, params_.pcie.rate, PcieParams::standard_rate);
      link.rate = bytes_per_second(static_cast<std::uint64_t>(static_cast<double>(rate.value) * params_.pcie.efficiency));
      break;
    }
    case topology::ServerLink::processors:
      link.rate = wire_rate(params_.pcie.socket_rate, tlps(params_.pcie.cpu_payload));
      break;
    case topology::ServerLink::network:
    case topology::ServerLink::nic:
      if (kind == topology::ServerLink::network) link.latency = params_.net.latency;
      link.rate =
          wire_rate(raw_rate(port, params_.net.rate, ServerNetworkParams::standard_rate), tlps(params_.pcie.payload));
      break;
  }
  return link;
}

// A packet holds its buffer space until its tail has left and the credit has returned.
unsigned ServerWires::buffer_flits(topology::PortRef port) const {
  unsigned least = 2048;
  if (servers_.is_nvswitch(port.node) &&
      params_.nvswitch.queues == SwitchQueues::output)  // else one output fills the buffer
    least = std::max(least, 2 * largest_burst_flits * static_cast<unsigned>(servers_.server().gpus()));
  const LinkParams in = link(port);
  const Tick route = 2 * in.latency.value + router_latency(port.node);
  const auto bytes = static_cast<Wide>(in.rate.value) * route / 1'000'000'000'000ull;
  return std::max(least, static_cast<unsigned>(bytes / ScheduleNicLink::flit_bytes) + 1 + 2 * largest_burst_flits);
}

}  // namespace tributary
