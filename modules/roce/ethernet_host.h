#pragma once
/// EthernetHost: a host: an RDMA NIC with one port, memory, and an engine that drives the NIC.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/ethernet/ethernet_device.h"
#include "modules/ethernet/host_engine_module.h"
#include "modules/roce/roce_nic.h"

namespace tributary {

/// Children: `nic`, `memory`, `engine`. The engine's verbs socket is bound to the NIC's; what is made for it may be a module
/// of the user's.
class EthernetHost : public EthernetDevice {
 public:
  struct Config {
    RoceParams nic;
    PortConfig port;
    std::uint16_t station = 0;
    bool pausable = false;  ///< obeys PFC
    bool with_data = true;
    Arena arena{};
  };
  using EngineFactory = std::function<std::unique_ptr<HostEngineModule>(const char* name)>;

  EthernetHost(const sc_core::sc_module_name& name, const Config& config, const EngineFactory& make_engine,
               PacketPool& pool);

  RoceNic& nic() { return nic_; }
  const RoceNic& nic() const { return nic_; }
  HostEngineModule& engine() { return *engine_; }
  MemoryModule& memory() { return memory_; }
  /// Provides storage; 0: time alone is simulated.
  void resize_memory(std::uint64_t bytes);

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override;
  void reset_core() override;
  void describe_core(ProbeDirectory& directory) override;

  RoceNic nic_;
  DirectMemory memory_;
  std::unique_ptr<HostEngineModule> engine_;
};

}  // namespace tributary
