#include "platforms/cluster/network_engine.h"

#include <memory>
#include <utility>

namespace tributary {

EngineFactory NetworkEngine::factory(const Config& config, PoolOf pool) {
  return [config, pool = std::move(pool)](const char* name, EngineSeat seat) {
    return std::make_unique<NetworkEngine>(name, seat, config, pool(seat.config().gpu));
  };
}

NetworkEngine::NetworkEngine(const sc_core::sc_module_name& name, EngineSeat seat, const Config& config, PacketPool& pool)
    : EngineModule(name),
      core_(seat, config.core, pool, static_cast<PcieEnd::Port&>(*this)),
      side_("pcie", side_port_device_of(*this), static_cast<SideReceiver&>(*this), 0, config.link.port()) {}

}  // namespace tributary
