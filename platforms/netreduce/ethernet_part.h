#pragma once
/// EthernetPart: hosts, Ethernet switches and accelerators of a platform (Liu et al., ASPLOS 2023): its devices, their job
/// initialisation and faults.

#include <bitset>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/ethernet/core/fault_injectors.h"
#include "modules/ethernet_switch/ethernet_switch.h"
#include "modules/netreduce/accelerator.h"
#include "modules/roce/ethernet_host.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/netreduce/ring_manager.h"
#include "platforms/platform.h"
#include "platforms/topology/racks.h"

namespace tributary {

class EthernetPart {
 public:
  /// Parts of a host that depend on its use.
  struct HostParts {
    EthernetHost::AgentFactory make_agent = {};
    unsigned queue_pairs = 0;  ///< EthernetHost::Config::queue_pairs
    std::optional<DatagramSource::Config> datagrams = {};
  };
  struct Config {
    NetReducePlatformParams params;
    bool with_data = true;
    std::uint64_t seed = 1;
    bool background = false;                    ///< hosts send datagrams
    std::vector<FaultRule> faults = {};         ///< faults of links
    std::vector<std::uint16_t> rank_of = {};    ///< by host, for faults; missing: its own number
    Accelerator::Parts accelerator_parts = {};  ///< factories of the parts of all accelerators
    AccessListFactory make_access_list = {};    ///< empty: the list of the model, with `switch.access_rules`
    SwitchRouterFactory make_router = {};       ///< for every switch; empty: ECMP by a hash
    std::function<HostParts(unsigned host)> parts_of_host = {};  ///< empty: hosts without agents
    int first_node = 0;  ///< number in the platform's graph of the first node of the racks
  };

  /// Returns the times of the part's windows.
  static PartTiming timing(const NetReducePlatformParams& params);
  /// Returns the time from a command to its first effect: at least Windows::ahead.
  static Tick command_latency(const NetReducePlatformParams& params) { return params.nic.tx_latency.value; }
  /// Returns the format of frames that are rendered as bytes.
  static FrameFormat frame_format(const topology::Racks& racks, const NetReducePlatformParams& params);
  /// Returns the bytes of an input FIFO of an accelerator that are reserved for frames that still arrive after a pause.
  static std::uint64_t accelerator_headroom(const NetReducePlatformParams& params, unsigned largest_frame);
  /// Returns the bytes on the wire of the largest frame.
  static unsigned largest_frame(const NetReducePlatformParams& params, bool with_background);

  /// Makes the devices of the racks' nodes. Throws std::invalid_argument if the configuration cannot be built.
  EthernetPart(topology::Racks racks, const Config& config, const PartDevices& devices);
  EthernetPart(const EthernetPart&) = delete;
  EthernetPart& operator=(const EthernetPart&) = delete;
  /// Adds the faults of links, once the platform is wired.
  void add_faults(const topology::Graph& graph);

  const topology::Racks& racks() const { return racks_; }
  FrameFormat frame_format() const { return frame_format(racks_, config_.params); }
  unsigned largest_frame() const { return largest_frame(config_.params, config_.background); }
  EthernetHost& host(unsigned i) { return *hosts_.at(i); }
  EthernetSwitch& ethernet_switch(unsigned i) { return *switches_.at(i); }
  Accelerator& accelerator(unsigned i) { return *accelerators_.at(i); }
  const std::vector<EthernetHost*>& hosts() const { return hosts_; }
  const std::vector<EthernetSwitch*>& switches() const { return switches_; }  ///< leaves, then spines
  const std::vector<Accelerator*>& accelerators() const { return accelerators_; }

  // Job initialisation; call after a reset.
  RingManager& rings() { return rings_; }
  /// Creates the queue pairs at both ends of a connection.
  void join(const HostConnection& connection);
  /// Configures accelerators and access lists for all rings.
  void set_rings();

  /// Start the background traffic of hosts that have some, and stop it: no datagram is due at `end` or later. Call both at
  /// least command_latency() ahead.
  void start_background(Tick t0);
  void stop_background(Tick end);
  /// Sets the seed of initial PSNs and random faults of future runs.
  void reseed(std::uint64_t seed);
  /// Removes queue pairs and rings, once the devices are reset.
  void reset();

 private:
  void add_hosts(const PartDevices& devices);
  void add_switches(const PartDevices& devices);
  void add_accelerators(const PartDevices& devices);
  EthernetDevice& device(int node);
  EthernetDevice::PortConfig port(Time latency) const;
  void add_ports(EthernetSwitch::Config& config, bool leaf, int ports) const;
  std::bitset<max_ethernet_ports> accelerator_ports(int first, int count) const;
  /// Converts a node of the racks to a node of the platform's graph.
  int node(int of_racks) const { return config_.first_node + of_racks; }
  bool owns(int node) const {
    return node >= config_.first_node && node < config_.first_node + static_cast<int>(racks_.graph.nodes().size());
  }

  topology::Racks racks_;
  Config config_;
  RingManager rings_;
  FaultInjectors injectors_;
  std::vector<EthernetHost*> hosts_;
  std::vector<EthernetSwitch*> switches_;
  std::vector<Accelerator*> accelerators_;
};

}  // namespace tributary
