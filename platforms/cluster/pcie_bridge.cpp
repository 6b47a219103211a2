#include "platforms/cluster/pcie_bridge.h"

#include <string>

namespace tributary {

EthernetHost::AgentFactory PcieBridge::factory(const Config& config, PacketPool& pool) {
  return [config, &pool](const char* name) { return std::make_unique<PcieBridge>(name, config, pool); };
}

PcieBridge::PcieBridge(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool)
    : HostAgentModule(name), core_(config.core, pool, verbs, static_cast<PcieBridgeCore::Ports&>(*this)) {
  SidePortDevice& host = side_port_device_of(*this);
  for (unsigned gpu = 0; gpu < config.core.gpus.size(); ++gpu) {
    sides_.push_back(std::make_unique<Side>(*this, gpu));
    Side& side = *sides_.back();
    const std::string port = "pcie" + std::to_string(gpu);
    side.port = std::make_unique<PcieSidePort>(port.c_str(), host, static_cast<SideReceiver&>(side), 0, config.link.port());
  }
}

PcieBridge::~PcieBridge() = default;

}  // namespace tributary
