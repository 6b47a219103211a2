#include "testbench/test/echo_family/echo_platform.h"

namespace tributary {

topology::Graph echo_pair() {
  topology::Graph graph;
  for (const int i : {0, 1}) graph.add_node({topology::NodeKind::nic, "echo" + std::to_string(i), 1, 0, -1, i});
  graph.connect({0, 0}, {1, 0});
  return graph;
}

EchoPlatform::EchoPlatform(const sc_core::sc_module_name& name, const Config& config, CompletionListener& listener)
    : Platform(name, echo_pair(), {config.params.link.latency.value, 0, command_latency(config.params.link)},
               framing_of<NvLink>()),
      params_(config.params) {
  for (unsigned i = 0; i < 2; ++i) {
    EchoDevice::Config device;
    device.index = i;
    device.link.link = config.params.link;
    device.link.flow_control = {4 * NvLink::max_packet_flits};
    device.turnaround = config.params.device.turnaround.value;
    echoes_.push_back(&add_device<EchoDevice>(device, pool(), listener));
  }
  wire(config.windowed);
}

std::map<std::string, double> EchoPlatform::counters() const {
  std::uint64_t sum = 0;
  for (const EchoDevice* device : echoes_) sum += device->echoed();
  return {{"echo.echoed", static_cast<double>(sum)}};
}

}  // namespace tributary
