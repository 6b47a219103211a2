#pragma once
/// RouterNode: a device that forwards packets between the GPUs of servers: a PCIe switch, processor, NIC, NVSwitch or
/// network switch.

#include <memory>
#include <string>
#include <vector>

#include "modules/switching/router.h"
#include "modules/timing/core_device.h"

namespace tributary {

/// Each port has a link with its own rate and latency (docs/blocks/pcie.md). No packet has a router as its destination.
class RouterNode : public CoreDevice<RouterCore, ScheduleNicLink>, private RouterListener {
 public:
  struct Port {
    LinkParams link;
    unsigned far_buffer_flits = 0;  ///< input buffer of the neighbour, per VC
    std::string name;
  };
  struct Config {
    RouterConfig core;  ///< latency and routes; ports, rates and names follow from `ports`
    std::vector<Port> ports;
    unsigned max_flits = 0;  ///< flits of the largest packet
    Arena arena{};           ///< arena of the platform
  };
  RouterNode(const sc_core::sc_module_name& name, const Config& config);

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  void eject(unsigned port, Packet* packet, Tick end) override;
  void injected(unsigned, Tick) override {}

  std::vector<std::unique_ptr<LinkPort>> ports_;
};

}  // namespace tributary
