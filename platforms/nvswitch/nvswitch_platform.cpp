#include "platforms/nvswitch/nvswitch_platform.h"

namespace tributary {

NvSwitchPlatform::NvSwitchPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                                   CompletionListener& listener)
    : Platform(name, machine.graph, NvSwitchPart::timing(config.params), framing_of<NvLink>(),
               topology::partition(machine.graph, config.lanes)),
      devices_(machine, config, devices_of(part()), topology::all_nodes(graph()), listener) {
  wire(config.windowed);
  devices_.protect_links(links());
}

NvSwitchPlatform::~NvSwitchPlatform() { NvSwitchPlatform::reset(); }

std::map<std::string, double> NvSwitchPlatform::counters() const {
  std::map<std::string, double> all;
  devices_.count(all);
  return all;
}

void NvSwitchPlatform::reseed(std::uint64_t seed) {
  devices_.reseed(seed);
  for (const DirectedLink& link : links())
    if (LinkRetransmission* r = link.transmitter->retransmission()) r->reseed(seed);
}

}  // namespace tributary
