#pragma once
/// ClusterPlatform: servers of GPUs and NVSwitches, joined by NICs and Ethernet.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/cluster/cluster_graph.h"
#include "platforms/cluster/network_engine.h"
#include "platforms/cluster/pcie_bridge.h"
#include "platforms/cluster/pcie_path.h"
#include "platforms/netreduce/ethernet_part.h"
#include "platforms/nvswitch/nvswitch_part.h"

namespace tributary {

/// Endpoints are GPUs, server by server. A cluster of one server has no network.
class ClusterPlatform : public Platform {
 public:
  struct Config {
    NvSwitchPart::Config gpus;  ///< those of all servers
    ClusterServer server;       ///< one of the servers
    unsigned servers = 1;
    ClusterParams params;
    NetReducePlatformParams network;  ///< without automatic values; see network_params()
    ClusterNetwork links;
    std::vector<FaultRule> frame_faults = {};  ///< faults of Ethernet links, by place and time
  };
  /// `machine`: one of the servers. Throws std::invalid_argument (one line) if the network cannot be built.
  ClusterPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config,
                  CompletionListener& listener);
  ~ClusterPlatform() override;

  /// Returns the parameters of the network between the NICs of `server`, whose GPUs have `memory`. Latencies of NICs are
  /// those without PCIe, which is simulated. Unless its beat is set, an accelerator carries the rate of a link.
  static NetReducePlatformParams network_params(NetReducePlatformParams params, const ClusterParams& cluster,
                                                const ClusterServer& server, const MemoryParams& memory);

  const ClusterServer& server() const { return config_.server; }
  unsigned servers() const { return config_.servers; }
  /// Returns the GPUs and NVSwitches of all servers.
  NvSwitchPart& devices() { return *devices_; }
  bool has_network() const { return network_ != nullptr; }
  /// Returns the NICs and switches of the network. Precondition: has_network().
  EthernetPart& network() { return *network_; }
  /// Returns the host of the network that is the NIC of a GPU.
  unsigned host_of(unsigned gpu) const;
  PcieBridge& bridge(unsigned server, unsigned nic);
  /// Throws std::logic_error if GPUs have none.
  NetworkEngine& network_engine(unsigned gpu);
  /// Queue pairs of a connection at the NICs of both GPUs.
  struct Pairs {
    std::uint32_t from = 0, to = 0;
  };
  /// Connects the NICs of two GPUs of different servers. Call after a reset.
  Pairs connect(unsigned from, unsigned to);
  /// Queue pairs of each member to the next one, and from the one before.
  struct Ring {
    std::uint16_t number = 0;
    std::vector<std::uint32_t> send, receive;
  };
  /// Adds a ring of NetReduce through the NICs of these GPUs. Call after a reset, and set_rings() at the end.
  Ring add_ring(const std::vector<int>& gpus, ElementType type, ReduceOp op);
  void set_rings() { network_->set_rings(); }

  unsigned endpoints() const override { return devices_->gpu_count(); }
  std::byte* memory_of(unsigned gpu) override { return devices_->gpu(gpu).memory().data(); }
  void resize_memory(unsigned gpu, std::uint64_t bytes) override;
  /// Returns the counts of NvSwitchPlatform and, with a network, those of NetReducePlatform.
  std::map<std::string, double> counters() const override;
  CounterUnion union_of(const std::string& counter) const override;
  Tick longest_silence(std::uint64_t bytes) const override;
  Tick timers_end() const override { return devices_->timers_end(); }
  void reset() override;
  /// Changes the seed of random latencies, orders, bit errors and PSNs; the address hash keeps the seed of elaboration.
  void reseed(std::uint64_t seed);

 private:
  int node_of(unsigned gpu) const override { return graph().gpus().at(gpu); }
  ClusterPlatform(const sc_core::sc_module_name& name, const Machine& machine, const Config& config, ClusterGraph graph,
                  CompletionListener& listener);
  /// `pcie`: part of the packets that cross PCIe. It has no devices.
  void add_network_engines(const ClusterGraph& graph, const PcieLink& link, PlatformPart& pcie, NvSwitchPart::Config& gpus);
  EthernetHost::AgentFactory bridge_of(unsigned server, unsigned nic, const PcieLink& link, PacketPool& pcie) const;
  void make_network(const ClusterGraph& graph, const PcieLink& link, PlatformPart& pcie);
  unsigned mtu() const { return static_cast<unsigned>(config_.network.nic.mtu.value); }
  void join(unsigned gpu, unsigned queue_pair);
  unsigned server_of(unsigned gpu) const { return gpu / gpus(); }
  unsigned nic_of(unsigned gpu) const { return static_cast<unsigned>(config_.server.nic_of.at(gpu % gpus())); }
  unsigned gpus() const { return static_cast<unsigned>(config_.server.gpus); }
  unsigned nics() const { return static_cast<unsigned>(config_.server.nics); }

  Config config_;
  std::vector<int> hosts_;  ///< by server and NIC
  std::unique_ptr<NvSwitchPart> devices_;
  std::unique_ptr<EthernetPart> network_;
};

}  // namespace tributary
