#include "modules/switching/router.h"

#include <algorithm>

namespace tributary {

Router::Router(const sc_core::sc_module_name& name, const Config& config, LinkPortListener& device, LinkOutput& wires,
               const Tick& now, RouterListener& beside)
    : sc_module(name) {
  std::vector<RouterTransmitter*> transmitters;
  LinkParams params = config.link;
  for (unsigned p = 0; p < config.core.ports; ++p) {
    if (!config.core.rates.empty()) params.rate = config.core.rates.at(p);
    if (!config.latencies.empty()) params.latency.value = config.latencies.at(p);
    // a faster link has a longer round trip, in flits
    const std::uint64_t buffer =
        config.buffer_flits * std::max<std::uint64_t>(1, params.rate.value / config.link.rate.value);
    // two packets of a VC fit between crossbar and wire
    const RouterTransmitter::Config link{params, static_cast<unsigned>(buffer), 2 * config.max_flits, config.max_flits,
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
