#pragma once
/// NetworkEngine: the engine of a GPU that reaches the network through the GPU's NIC (docs/blocks/network_engine.md).

#include <cstddef>
#include <functional>

#include "modules/gpu/engine_module.h"
#include "modules/gpu/gpu_parts.h"
#include "modules/pcie/pcie_link.h"
#include "platforms/cluster/network_engine_core.h"

namespace tributary {

/// Rules: NetworkEngineCore. Owns the side port `pcie` of its GPU.
class NetworkEngine final : public EngineModule, private SideReceiver, private PcieEnd::Port {
 public:
  static constexpr const char* seat_name = "network";
  struct Config {
    NetworkEngineCore::Config core;
    PcieLink link;
  };
  /// Returns the pool of PCIe packets of a GPU, which outlives it. GPUs of one lane share a pool.
  using PoolOf = std::function<PacketPool&(unsigned gpu)>;
  /// The factory makes the engine of a Gpu: GpuParts::add(seat_name, factory(...)).
  static EngineFactory factory(const Config& config, PoolOf pool);

  NetworkEngine(const sc_core::sc_module_name& name, EngineSeat seat, const Config& config, PacketPool& pool);

  GpuEngine& engine() override { return core_; }
  NetworkEngineCore& core() { return core_; }
  /// Sets the memory in which the software of network tasks moves and adds data; null: only time is simulated.
  void set_memory(std::byte* memory) { core_.set_memory(memory); }
  PcieSidePort& side() { return side_; }

 private:
  void on_side_packet(Packet* packet, Tick, Tick tail) override { core_.receive(packet, tail); }
  void send(Packet* packet, Tick ready) override { side_.push(packet, packet->vc, ready, ready); }
  void free(const Packet& packet, Tick when) override { side_.free(when, packet.vc, flits_of<Pcie>(packet)); }

  NetworkEngineCore core_;
  PcieSidePort side_;
};

}  // namespace tributary
