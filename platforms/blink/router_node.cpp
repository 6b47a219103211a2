#include "platforms/blink/router_node.h"

#include <stdexcept>

namespace tributary {

RouterNode::RouterNode(const sc_core::sc_module_name& name, const Config& config)
    : CoreDevice(name, config.core.latency, config.ports.at(0).link, config.arena) {
  RouterConfig core = config.core;
  core.ports = static_cast<unsigned>(config.ports.size());
  std::vector<RouterTransmitter*> transmitters;
  std::vector<LinkPort*> links;
  for (unsigned p = 0; p < core.ports; ++p) {
    const Port& port = config.ports[p];
    core.rates.push_back(port.link.rate);
    core.port_names.push_back(port.name);
    // The output buffer holds two packets of a VC between crossbar and wire.
    const RouterTransmitter::Config link{port.link, port.far_buffer_flits, 2 * config.max_flits, config.max_flits,
                                         config.arena};
    ports_.push_back(
        std::make_unique<LinkPort>(port.name.c_str(), static_cast<LinkPortListener&>(*this), activation(), p, link));
    links.push_back(ports_.back().get());
    transmitters.push_back(&ports_.back()->transmitter());
  }
  core_ =
      std::make_unique<RouterCore>(core, static_cast<RouterListener&>(*this), static_cast<LinkOutput&>(*this), transmitters);
  set_ports(links);
}

Tick RouterNode::run_core(Inbox& inbox, Tick horizon) {
  return core_->with([&](auto& core) {
    inbox.take_packets(
        horizon, [&core](unsigned port, Packet* packet, Tick head, Tick tail) { core.accept(port, packet, head, tail); });
    for (Tick now = core.next(); now <= horizon && now != never; now = core.next()) core.handle(now);
    return core.finish(horizon);
  });
}

void RouterNode::eject(unsigned, Packet* packet, Tick) {
  packet->release();
  throw std::logic_error(std::string(name()) + ": a packet has no route from here");
}

}  // namespace tributary
