#pragma once

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
    bool monitored = false;  ///< a ProtocolMonitor on every link, endpoint to switch and back
    NvSwitchParams params;
    LinkParams link;
    ReductionTableFactory make_table = make_reduction_table;
  };
  SwitchSystem(const sc_core::sc_module_name& name, const Config& config);

  PacketPool pool{NvLink{}};
  std::vector<std::unique_ptr<PacketEndpoint>> endpoints;
  std::unique_ptr<NvSwitch> device;
  std::vector<std::unique_ptr<ProtocolMonitor>> monitors;

  /// A write from one endpoint to another. `id`: address.
  Packet* packet(unsigned vc, unsigned from, unsigned to, std::uint64_t id, unsigned payload = block_bytes);
  /// Flits whose last one has come in from `begin` on and before `end`, over what all links can carry.
  double throughput(Tick begin, Tick end) const;
};

}  // namespace tributary
