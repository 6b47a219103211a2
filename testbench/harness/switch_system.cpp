#include "testbench/harness/switch_system.h"

#include "modules/protocol/nvlink.h"

namespace tributary {

SwitchSystem::SwitchSystem(const sc_core::sc_module_name& name, const Config& config) : sc_module(name) {
  NvSwitch::Config c;
  c.params = config.params;
  if (!c.params.reduction_table.bytes) c.params.reduction_table.bytes = 256_B;
  c.link = config.link;
  c.make_table = config.make_table;
  c.ports = config.ports;
  const unsigned buffer = input_buffer_flits(c.params, c.link);
  c.far_buffer_flits.assign(c.ports, buffer);
  for (unsigned p = 0; p < c.ports; ++p) c.forwarding.endpoint_ports |= port_bit<WidePortMask>(p);
  RouteTable routes(c.ports, 1, 1);
  for (unsigned p = 0; p < c.ports; ++p) routes.set_gpu(p, 0, p);
  device = std::make_unique<NvSwitch>("switch", c, routes);
  const Tick window = config.windowed ? config.link.latency.value : 0;
  if (config.windowed) device->set_windows(Windows::of(window, c.params.latency.value, 1'000'000, {}));
  for (unsigned p = 0; p < c.ports; ++p) {
    endpoints.push_back(std::make_unique<PacketEndpoint>(("endpoint" + std::to_string(p)).c_str(),
                                                         NvLinkTransmitter::Config{c.link, buffer, 0}));
    endpoints.back()->set_window(window);
    NvLinkPort &near = endpoints.back()->port, &far = device->port(p).link;
    if (config.monitored)
      connect_monitored(near, far, {c.link, buffer}, monitors);
    else
      connect(near, far);
  }
}

Packet* SwitchSystem::packet(unsigned vc, unsigned from, unsigned to, std::uint64_t id, unsigned payload) {
  Packet* p = pool.make(payload, false);
  p->vc = static_cast<std::uint8_t>(vc);
  NvHeader& h = nv(*p);
  h.opcode = Opcode::write;
  h.target = Target::gpu;
  h.source = static_cast<std::uint16_t>(from);
  h.destination = static_cast<std::uint16_t>(to);
  h.address = id;
  return p;
}

double SwitchSystem::throughput(Tick begin, Tick end) const {
  std::uint64_t flits = 0;
  for (const auto& e : endpoints)
    for (const PacketEndpoint::Delivery& d : e->delivered)
      if (d.tail >= begin && d.tail < end) flits += d.flits;
  const auto seconds = static_cast<double>(end - begin) * 1e-12;
  return static_cast<double>(flits * NvLink::flit_bytes) / (25e9 * seconds * static_cast<double>(endpoints.size()));
}

}  // namespace tributary
