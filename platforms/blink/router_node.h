#pragma once
/// RouterNode: a device that passes packets on between servers' GPUs: a PCIe switch, a processor, a NIC, a network switch.

#include <memory>
#include <string>
#include <vector>

#include "modules/timing/core_device.h"
#include "modules/switching/router.h"

namespace tributary {

/// Links of rates and latencies of their own (docs/blocks/pcie.md). No packet ends here.
class RouterNode : public CoreDevice<RouterCore, ScheduleNicLink>, private RouterListener {
 public:
  struct Port {
    LinkParams link;
    unsigned far_buffer_flits = 0;  ///< per VC, of the neighbour
    std::string name;
  };
  struct Config {
    RouterConfig core;  ///< latency and routes; ports, rates and names follow from `ports`
    std::vector<Port> ports;
    unsigned max_flits = 0;  ///< of a packet
    Arena arena{};           ///< of the platform
  };
  RouterNode(const sc_core::sc_module_name& name, const Config& config);

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  void eject(unsigned port, Packet* packet, Tick end) override;
  void injected(unsigned, Tick) override {}

  std::vector<std::unique_ptr<LinkPort>> ports_;
};

}  // namespace tributary
