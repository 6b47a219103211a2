#pragma once
/// PcieBridge: the agent of a NIC that serves GPUs over PCIe (docs/blocks/pcie_bridge.md).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/ethernet/host_agent_module.h"
#include "modules/pcie/pcie_link.h"
#include "modules/roce/ethernet_host.h"
#include "modules/roce/nic_data_path.h"
#include "platforms/cluster/pcie_bridge_core.h"

namespace tributary {

/// Rules: PcieBridgeCore. Side port `pcie0` leads to the first GPU of the configuration, `pcie1` to the second.
class PcieBridge final : public HostAgentModule, public NicDataPath, private PcieBridgeCore::Ports {
 public:
  struct Config {
    PcieBridgeCore::Config core;
    PcieLink link;
  };
  /// The factory makes the bridge of an EthernetHost. `pool`: of PCIe packets of its lane. It outlives the host.
  static EthernetHost::AgentFactory factory(const Config& config, PacketPool& pool);

  PcieBridge(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool);
  ~PcieBridge() override;

  HostAgent& agent() override { return core_; }
  PcieBridgeCore& core() { return core_; }
  /// A queue pair of the NIC belongs to that GPU, which is numbered as in the configuration.
  void set_pair(unsigned queue_pair, unsigned gpu) { core_.set_pair(queue_pair, gpu); }
  PcieSidePort& side(unsigned gpu) { return *sides_.at(gpu)->port; }

 private:
  /// A side port, and the receiver of its packets.
  struct Side : SideReceiver {
    Side(PcieBridge& bridge_, unsigned gpu_) : bridge(bridge_), gpu(gpu_) {}
    void on_side_packet(Packet* packet, Tick, Tick tail) override { bridge.core_.receive(gpu, packet, tail); }
    PcieBridge& bridge;
    unsigned gpu;
    std::unique_ptr<PcieSidePort> port;
  };
  // NicDataPath
  HostMemoryPort& nic_memory() override { return core_; }
  NicFeed& nic_feed() override { return core_; }
  void connect(NicFeedListener& nic) override { core_.connect(nic); }
  // PcieBridgeCore::Ports
  void send(unsigned gpu, Packet* packet, Tick ready) override { sides_[gpu]->port->push(packet, packet->vc, ready, ready); }
  void free(unsigned gpu, const Packet& packet, Tick when) override {
    sides_[gpu]->port->free(when, packet.vc, flits_of<Pcie>(packet));
  }

  PcieBridgeCore core_;
  std::vector<std::unique_ptr<Side>> sides_;
};

}  // namespace tributary
