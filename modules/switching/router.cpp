#include "modules/switching/router.h"

namespace tributary {

Router::Router(const sc_core::sc_module_name& name, const Config& config, LinkPortListener& device, LinkOutput& wires,
               const Tick& now, RouterHost& beside)
    : sc_module(name) {
  std::vector<RouterTransmitter*> transmitters;
  for (unsigned p = 0; p < config.core.ports; ++p) {
    // two packets of a VC may stand between crossbar and wire
    const RouterTransmitter::Config link{config.link, config.buffer_flits, 2 * config.max_flits, config.max_flits,
                                         config.arena};
    ports_.push_back(std::make_unique<LinkPort>(config.core.port_names.at(p).c_str(), device, now, p, link));
    transmitters.push_back(&ports_.back()->transmitter());
  }
  core_ = std::make_unique<RouterCore>(config.core, beside, wires, transmitters);
}

std::vector<Router::LinkPort*> Router::ports() {
  std::vector<LinkPort*> all;
  for (const auto& port : ports_) all.push_back(port.get());
  return all;
}

}  // namespace tributary
