#include "platforms/blink/server_wires.h"

#include <algorithm>

#include "modules/protocol/schedule_nic.h"
#include "modules/streams/core/burst_cutter.h"

namespace tributary {
namespace {

constexpr std::uint64_t data = 256;  // that TLPs are counted for

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
  return bytes_per_second(static_cast<std::uint64_t>(static_cast<double>(payload_rate.value) * share + 0.5));
}

Bandwidth ServerWires::payload_rate(int from, int to, CopyPath path) const {
  const bool nvlink = path == CopyPath::nvlink;
  const CopyFraming f = framing(from, to, path);
  const std::uint64_t wire = link(nvlink ? topology::ServerLink::nvlink : topology::ServerLink::pcie).rate.value;
  const Bandwidth rate = bytes_per_second(wire / (f.payload + f.overhead) * f.payload);
  const topology::Server& server = servers_.server();
  const auto socket = [&](int gpu) {
    return server.socket_of(server.gpu_on.at(static_cast<std::size_t>(servers_.local(gpu))));
  };
  return nvlink || socket(from) == socket(to) ? rate : std::min(rate, params_.pcie.socket_rate);
}

LinkParams ServerWires::link(topology::ServerLink kind) const {
  LinkParams link;
  link.latency = params_.pcie.latency;
  switch (kind) {
    case topology::ServerLink::nvlink:
      link.rate = *params_.gpu.nvlink.rate;
      link.latency = params_.gpu.nvlink.latency;
      break;
    case topology::ServerLink::pcie:
      link.rate = bytes_per_second(
          static_cast<std::uint64_t>(static_cast<double>(params_.pcie.rate.value) * params_.pcie.efficiency));
      break;
    case topology::ServerLink::processors:
      link.rate = wire_rate(params_.pcie.socket_rate, tlps(params_.pcie.cpu_payload));
      break;
    case topology::ServerLink::network:
      link.latency = params_.net.latency;
      [[fallthrough]];
    case topology::ServerLink::nic:
      link.rate = wire_rate(params_.net.rate, tlps(params_.pcie.payload));
      break;
  }
  return link;
}

}  // namespace tributary
