#pragma once
/// EthernetHost: a host: an RDMA NIC with one port, memory, and an engine that drives the NIC.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/ethernet/core/datagram_source.h"
#include "modules/ethernet/ethernet_device.h"
#include "modules/ethernet/host_agent_module.h"
#include "modules/roce/roce_nic.h"

namespace tributary {

/// Children: `nic`, `memory`, `engine`. The engine's verbs socket is bound to the NIC's. Engine and memory may be modules of
/// the user's. Without an engine, the user binds the NIC's socket to one that has a process of its own: it hears of what
/// happens ahead of the kernel's time, and posts when the time has come. That is in time, for a host in windows runs at most
/// `tx_latency` ahead of the kernel's time: the last but one argument of its Windows::of.
class EthernetHost : public EthernetDevice {
 public:
  struct Config {
    RoceParams nic;
    PortConfig port;
    std::uint16_t station = 0;
    bool pausable = false;  ///< obeys PFC
    bool with_data = true;
    FrameChecking checking = FrameChecking::flags;
    FrameFormat format{};      ///< of frames that are made bytes
    unsigned queue_pairs = 0;  ///< that have probes from the begin
    std::optional<DatagramSource::Config> datagrams{};  ///< software that sends them beside the NIC's engine
    Arena arena{};
    std::optional<Bandwidth> feed{};  ///< at which its software hands payloads to the NIC; none: as fast as that asks
  };
  /// They make modules of that name. No engine is made by an empty factory, or by one that returns null.
  using AgentFactory = std::function<std::unique_ptr<HostAgentModule>(const char* name)>;
  using MemoryFactory = std::function<std::unique_ptr<MemoryModule>(const char* name)>;

  EthernetHost(const sc_core::sc_module_name& name, const Config& config, const AgentFactory& make_agent, PacketPool& pool,
               const MemoryFactory& make_memory = {});

  RoceNic& nic() { return nic_; }
  const RoceNic& nic() const { return nic_; }
  /// If one was made.
  HostAgentModule& agent() { return *agent_; }
  MemoryModule& memory() { return *memory_; }
  /// Null: none were asked for.
  DatagramSource* datagrams() { return datagrams_.get(); }
  const DatagramSource* datagrams() const { return datagrams_.get(); }
  /// The first one is due at `t0` or later; at least Windows::ahead after now.
  void start_datagrams(Tick t0);
  /// Provides storage; 0: time alone is simulated.
  void resize_memory(std::uint64_t bytes);

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override;
  void reset_core() override;
  void describe_core(ProbeDirectory& directory) override;
  Tick agent_next() const { return core_ == nullptr ? never : core_->next(); }
  Tick datagrams_next() const { return datagrams_ == nullptr ? never : datagrams_->next(); }

  RoceNic nic_;
  std::unique_ptr<MemoryModule> memory_;
  std::unique_ptr<HostAgentModule> agent_;
  HostAgent* core_ = nullptr;  // of the engine
  std::unique_ptr<DatagramSource> datagrams_;
};

}  // namespace tributary
