#pragma once
/// SwitchSystem: a test bench of one switch.

#include <memory>
#include <vector>

#include "modules/nvswitch/nvswitch.h"
#include "testbench/harness/packet_endpoint.h"
#include "testbench/harness/protocol_monitor.h"

namespace tributary {

/// One NvSwitch with a PacketEndpoint at each of its ports.
class SwitchSystem : public sc_core::sc_module {
 public:
  struct Config {
    unsigned ports = 16;
    bool windowed = true;
    bool monitored = false;  ///< a ProtocolMonitor in each direction of every link
    NvSwitchParams params;
    LinkParams link;
    ReductionTableFactory make_table = make_reduction_table;
  };
  SwitchSystem(const sc_core::sc_module_name& name, const Config& config);

  PacketPool pool{NvLink{}};
  std::vector<std::unique_ptr<PacketEndpoint>> endpoints;
  std::unique_ptr<NvSwitch> device;
  std::vector<std::unique_ptr<ProtocolMonitor>> monitors;

  /// Makes a write from one endpoint to another. `id`: address.
  Packet* packet(unsigned vc, unsigned from, unsigned to, std::uint64_t id, unsigned payload = block_bytes);
  /// Returns the flits that arrived from `begin` on and before `end`, divided by the capacity of all links.
  double throughput(Tick begin, Tick end) const;
};

}  // namespace tributary
