#include "testbench/test/harness/ethernet_switch_bench.h"

#include <algorithm>

namespace tributary {
namespace {

Tick quantum_of(Bandwidth rate) { return 64 * 1'000'000'000'000 / rate.value; }

std::unique_ptr<EthernetLinks::Transmitter> transmitter(Bandwidth rate, const Arena& arena) {
  EthernetLinks::Transmitter::Config config;
  config.link.rate = rate;
  config.link.latency = picoseconds(EthernetSwitchBench::link_latency);
  config.flow_control = {EthernetSwitchBench::reaction, quantum_of(rate)};
  config.arena = arena;
  return std::make_unique<EthernetLinks::Transmitter>(config);
}

}  // namespace

EthernetSwitchConfig EthernetSwitchBench::plain(unsigned ports) {
  EthernetSwitchConfig config;
  config.rates.assign(ports, 100_Gbps);
  config.pfc.quantum.assign(ports, quantum_of(100_Gbps));
  config.latency = 300'000;
  config.buffer.bytes = 16u << 20;
  for (unsigned p = 0; p < ports; ++p) config.routes.set(static_cast<std::uint16_t>(p), {p});
  return config;
}

EthernetSwitchBench::EthernetSwitchBench(const EthernetSwitchConfig& config) {
  const Arena arena;
  std::vector<EthernetLinks::Transmitter*> sending;
  for (const Bandwidth rate : config.rates) {
    stations.push_back(transmitter(rate, arena));
    outputs.push_back(transmitter(rate, arena));
    sending.push_back(outputs.back().get());
  }
  links = std::make_unique<EthernetLinks>(sending, static_cast<LinkOutput&>(*this), pool);
  core = std::make_unique<EthernetSwitchCore>(config, *links, pool, static_cast<AccessControl&>(*this));
}

Packet* EthernetSwitchBench::send(unsigned from, unsigned to, std::uint64_t id, Tick ready, unsigned traffic_class,
                                  unsigned payload) {
  const FrameKind kind = traffic_class == control_class ? FrameKind::ack
                         : traffic_class == roce_class  ? FrameKind::write_middle
                                                        : FrameKind::datagram;
  Packet* const frame = make_frame(pool, kind, kind == FrameKind::ack ? 0 : payload, false);
  RoceHeader& h = roce(*frame);
  h.source = static_cast<std::uint16_t>(from);
  h.destination = static_cast<std::uint16_t>(to);
  h.address = id;
  frame->vc = static_cast<std::uint8_t>(traffic_class);
  stations[from]->push(frame, traffic_class, frame->wire_bytes, ready, ready);
  return frame;
}

void EthernetSwitchBench::run(Tick until, Tick step) {
  while (now_ < until) {
    now_ = std::min(until, now_ + step);
    for (unsigned p = 0; p < stations.size(); ++p)
      stations[p]->run_until(now_, [&](const EthernetLinks::Sent& s) { core->accept(p, s.packet, s.head, s.tail); });
    core->run(now_, false);
  }
}

void EthernetSwitchBench::deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) {
  for (const LinkArrival* a = packets; a != packets + count; ++a) {
    const Tick head = first + a->after, tail = head + a->duration;
    const RoceHeader& h = roce(*a->packet);
    const Delivered d{port, head, tail, h.address, h, a->packet->damage};
    (h.kind == FrameKind::pause ? pauses : delivered).push_back(d);
    if (h.kind == FrameKind::pause) stations[port]->credit(h.extra >> 16, h.extra & 0xFFFFu, tail);
    a->packet->release();
  }
}

Tick EthernetSwitchBench::classify(AccessTransaction& t) {
  t.redirect = access.classify(roce(*t.frame), t.port, t.now);
  return access_time;
}

std::vector<EthernetSwitchBench::Delivered> EthernetSwitchBench::at(unsigned port) const {
  std::vector<Delivered> of_port;
  std::copy_if(delivered.begin(), delivered.end(), std::back_inserter(of_port),
               [port](const Delivered& d) { return d.port == port; });
  return of_port;
}

}  // namespace tributary
