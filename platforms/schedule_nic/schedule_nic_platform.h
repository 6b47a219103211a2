#pragma once
/// ScheduleNicPlatform: a network of NICs and routers (Huang et al., ISCA 2021).

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/platform.h"
#include "platforms/schedule_nic/network_node.h"
#include "platforms/schedule_nic/network_params.h"
#include "platforms/topology/network.h"

namespace tributary {

/// Ways of packets at a router: dimension order on a grid, up and down elsewhere. No cycle of buffers closes: on a ring of a
/// torus the VC 0 of a class leads up to the link that closes the ring, VC 1 from there on (a dateline), and VC 1 is for all
/// packets that go straight on and need not close it; on a BiGraph VC 0 leads to a switch from which it goes on to another.
/// A packet that comes from elsewhere and has one hop to go may take either. `port` gives the port of the device for one of
/// the graph.
RouterRoutes router_routes(const topology::Network& network, const topology::PacketRoutes& routes, int node,
                           const std::map<int, unsigned>& port);

/// One device for each node of the graph: a NIC with its router on a direct network, NICs and switches on an indirect one.
class ScheduleNicPlatform : public Platform {
 public:
  struct Config {
    NetworkParams params;
    bool with_data = true;
    bool windowed = true;
    Nic::Parts parts = {};  ///< behind the sockets of all NICs
    bool steps = false;     ///< NICs show the probes of tasks
    /// [node][port] of the network: latency of the link out in units of schedule_nic.link.latency; empty: 1 everywhere.
    std::vector<std::vector<int>> cycles = {};
  };
  /// Throws std::invalid_argument on a node with more than max_router_inputs links and interfaces together, and what
  /// schedule_network() throws. Packets without a source route go by the first of parallel links.
  ScheduleNicPlatform(const sc_core::sc_module_name& name, const topology::Network& network, const Config& config,
                      CompletionListener& listener);
  ~ScheduleNicPlatform() override;

  const topology::Network& network() const { return network_; }
  /// What MultiTree grows on: a link for each unit of bandwidth (docs/systems/multitree.md#unequal-links). Throws
  /// std::invalid_argument, one line, on rates of which one is no whole multiple of the other, and on a Y rate without grid.
  static topology::Network schedule_network(const topology::Network& network, const NetworkParams& params);
  const topology::Network& schedule_network() const { return schedule_network_; }
  /// Bandwidth of a link of schedule_network().
  static Bandwidth unit_rate(const NetworkParams& params) {
    return std::min(params.link.rate, params.link.y_rate.value_or(params.link.rate));
  }
  const NetworkParams& params() const { return config_.params; }
  /// Children that a row of a schedule table names: the bandwidth of a NIC's interfaces over that of a link, 1 to 4.
  static int row_children(const topology::Network& network, const NetworkParams& params);
  NetworkNode& node(unsigned i) { return *nodes_.at(i); }
  /// From a command to its first effect: at least Windows::ahead.
  static Tick command_latency(const NetworkParams& params) { return 2 * params.link.latency.value; }
  /// The port of the link that holds a unit of bandwidth, a link of schedule_network().
  topology::PortRef port_of_unit(topology::PortRef unit) const;
  /// The source route of hops of schedule_network(); on a grid {Next, Eject}, of one hop, by the numbers of this graph's
  /// ports.
  SourceRoute source_route(const std::vector<topology::PortRef>& hops) const;

  unsigned endpoints() const override { return static_cast<unsigned>(network_.size()); }
  std::byte* memory_of(unsigned end) override { return nodes_.at(end)->nic()->memory(); }
  void resize_memory(unsigned end, std::uint64_t bytes) override { nodes_.at(end)->nic()->resize_memory(bytes); }
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t bytes) const override;
  void reset() override;

 private:
  Bandwidth rate_of(int port) const;
  Tick cycles_of(topology::PortRef port) const;
  void set_interfaces(int node, RouterConfig& router, NicCore::Config& nic) const;
  void make_node(int node, const topology::PacketRoutes& routes, CompletionListener& listener);
  unsigned device_port(topology::PortRef port) const override {
    return ports_[static_cast<std::size_t>(port.node)].at(port.port);
  }

  topology::Network network_, schedule_network_;
  Config config_;
  PayloadViews views_;
  std::vector<std::map<int, unsigned>> ports_;  ///< by node: port of the graph -> of the device
  std::vector<NetworkNode*> nodes_;
};

}  // namespace tributary
