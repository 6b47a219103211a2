#pragma once
/// ScheduleNicPlatform: the netlist of a network of NICs and routers (Huang et al., ISCA 2021).

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/protocol/source_route.h"
#include "platforms/platform.h"
#include "platforms/schedule_nic/network_node.h"
#include "platforms/schedule_nic/network_params.h"
#include "platforms/topology/network.h"

namespace tributary {

/// Returns the routes of packets at a router: dimension order on a grid, up and down otherwise. Virtual channels break
/// all cycles of buffers. On a torus ring, VC 0 of a class is used up to the link that closes the ring and VC 1 from
/// there on (a dateline); VC 1 is also used by all packets that go straight on and do not cross the dateline. On a
/// BiGraph, VC 0 leads to a switch from which the packet continues to another switch. A packet that enters from
/// elsewhere with one hop left may use either. `port`: maps ports of the graph to ports of the device.
RouterRoutes router_routes(const topology::Network& network, const topology::PacketRoutes& routes, int node,
                           const std::map<int, unsigned>& port);

/// One device per node of the graph: a NIC with its router on a direct network, NICs and switches on an indirect one.
class ScheduleNicPlatform : public Platform {
 public:
  struct Config {
    NetworkParams params;
    bool with_data = true;
    bool windowed = true;
    Nic::Parts parts = {};  ///< blocks bound to the sockets of all NICs
    bool steps = false;     ///< true: NICs have the probes of tasks
    /// [node][port]: latency of the outgoing link in units of schedule_nic.link.latency; empty: 1 everywhere.
    std::vector<std::vector<int>> cycles = {};
    unsigned lanes = 1;  ///< threads that run the platform, at most
  };
  /// Packets without a source route use the first of parallel links. Throws as schedule_network() does.
  ScheduleNicPlatform(const sc_core::sc_module_name& name, const topology::Network& network, const Config& config,
                      CompletionListener& listener);
  ~ScheduleNicPlatform() override;

  const topology::Network& network() const { return network_; }
  /// Returns the network on which MultiTree builds its trees, with one link per unit of bandwidth
  /// (docs/systems/multitree.md#unequal-links). Throws std::invalid_argument (one line) if a node has more than
  /// max_router_inputs links and interfaces together, if neither rate is an integer multiple of the other, or if a Y
  /// rate is set without a grid.
  static topology::Network schedule_network(const topology::Network& network, const NetworkParams& params);
  const topology::Network& schedule_network() const { return schedule_network_; }
  /// Returns the bandwidth of a link of schedule_network().
  static Bandwidth unit_rate(const NetworkParams& params) {
    return std::min(params.link.rate, params.link.y_rate.value_or(params.link.rate));
  }
  const NetworkParams& params() const { return config_.params; }
  /// Returns the number of children in a row of a schedule table: the bandwidth of a NIC's interfaces divided by that
  /// of a link, 1 to 4.
  static int row_children(const topology::Network& network, const NetworkParams& params);
  NetworkNode& node(unsigned i) { return *nodes_.at(i); }
  /// Delay from a command to its first effect, at least Windows::ahead.
  static Tick command_latency(const NetworkParams& params) { return 2 * params.link.latency.value; }
  /// Returns the port of the link that includes `unit`, a link of schedule_network().
  topology::PortRef port_of_unit(topology::PortRef unit) const;
  /// Returns the source route for hops of schedule_network(). On a grid it is {Next, Eject}, of one hop. Uses the port
  /// numbers of this graph.
  SourceRoute source_route(const std::vector<topology::PortRef>& hops) const;

  unsigned endpoints() const override { return static_cast<unsigned>(network_.size()); }
  std::byte* memory_of(unsigned end) override { return nodes_.at(end)->nic()->memory(); }
  void resize_memory(unsigned end, std::uint64_t bytes) override { nodes_.at(end)->nic()->resize_memory(bytes); }
  std::map<std::string, double> counters() const override;
  Tick longest_silence(std::uint64_t bytes) const override;
  void reset() override;

 private:
  PayloadViews* views(unsigned lane) override { return &views_[lane]; }
  Bandwidth rate_of(int port) const;
  Tick cycles_of(topology::PortRef port) const;
  void set_interfaces(int node, RouterConfig& router, NicCore::Config& nic) const;
  void make_node(int node, const topology::PacketRoutes& routes, CompletionListener& listener);
  unsigned device_port(topology::PortRef port) const override {
    return ports_[static_cast<std::size_t>(port.node)].at(port.port);
  }

  topology::Network network_, schedule_network_;
  Config config_;
  std::deque<PayloadViews> views_;              ///< by lane
  std::vector<std::map<int, unsigned>> ports_;  ///< by node: port of the graph -> port of the device
  std::vector<NetworkNode*> nodes_;
  std::shared_ptr<RouteRows> rows_ = std::make_shared<RouteRows>();  ///< rows of all routers; source_route() adds to them
};

}  // namespace tributary
