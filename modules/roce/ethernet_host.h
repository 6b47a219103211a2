#pragma once
/// EthernetHost: a host with an RDMA NIC of one port, memory, and an agent that drives the NIC.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/sysc/direct_caller.h"
#include "modules/ethernet/core/datagram_source.h"
#include "modules/ethernet/ethernet_device.h"
#include "modules/ethernet/host_agent_module.h"
#include "modules/roce/roce_nic.h"

namespace tributary {

/// Children: `nic`, `memory`, `agent`. The agent's verbs socket is bound to the NIC's. Agent and memory may be modules of
/// the user's.
///
/// Without an agent, the user binds the NIC's socket to a module with a process of its own. It receives reports ahead of the
/// kernel's time, and posts when that time is reached. Its requests are in time, because a host in windows runs at most
/// `tx_latency` ahead of the kernel's time (the last but one argument of its Windows::of).
class EthernetHost : public EthernetDevice, public DirectCaller {
 public:
  struct Config {
    RoceParams nic;
    PortConfig port;
    std::uint16_t station = 0;
    bool pausable = false;  ///< obeys PFC
    bool with_data = true;
    FrameChecking checking = FrameChecking::flags;
    FrameFormat format{};                               ///< for frames that are rendered as bytes
    unsigned queue_pairs = 0;                           ///< queue pairs whose probes exist from elaboration on
    std::optional<DatagramSource::Config> datagrams{};  ///< software that sends datagrams besides the agent
    Arena arena{};
    std::optional<Bandwidth>
        feed{};  ///< rate at which software supplies payloads to the NIC; empty: as fast as the NIC reads them
  };
  /// Factories create a module of the given name. A host has no agent if its factory is empty or returns null.
  using AgentFactory = std::function<std::unique_ptr<HostAgentModule>(const char* name)>;
  using MemoryFactory = std::function<std::unique_ptr<MemoryModule>(const char* name)>;

  EthernetHost(const sc_core::sc_module_name& name, const Config& config, const AgentFactory& make_agent, PacketPool& pool,
               const MemoryFactory& make_memory = {});

  /// The host passes frames to the NIC, and advances NIC and agent; requests and reports cross their socket.
  bool calls_directly(const sc_core::sc_object& part) const override { return &part == &nic_ || &part == agent_.get(); }
  RoceNic& nic() { return nic_; }
  const RoceNic& nic() const { return nic_; }
  /// Precondition: the host has an agent.
  HostAgentModule& agent() { return *agent_; }
  MemoryModule& memory() { return *memory_; }
  /// Null if Config::datagrams is empty.
  DatagramSource* datagrams() { return datagrams_.get(); }
  const DatagramSource* datagrams() const { return datagrams_.get(); }
  /// `t0`: earliest time of the first datagram, at least Windows::ahead after now.
  void start_datagrams(Tick t0);
  /// Provides storage; 0: only time is simulated.
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
  HostAgent* core_ = nullptr;  // core of the agent
  std::unique_ptr<DatagramSource> datagrams_;
};

}  // namespace tributary
