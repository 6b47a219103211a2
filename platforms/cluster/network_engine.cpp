#include "platforms/cluster/network_engine.h"

#include <memory>

namespace tributary {

EngineFactory NetworkEngine::factory(const Config& config, PacketPool& pool) {
  return [config, &pool](const char* name, EngineSeat seat) {
    return std::make_unique<NetworkEngine>(name, seat, config, pool);
  };
}

NetworkEngine::NetworkEngine(const sc_core::sc_module_name& name, EngineSeat seat, const Config& config, PacketPool& pool)
    : EngineModule(name),
      core_(seat, config.core, pool, static_cast<PcieEnd::Port&>(*this)),
      side_("pcie", side_port_device_of(*this), static_cast<SideReceiver&>(*this), 0, config.link.port()) {}

}  // namespace tributary
