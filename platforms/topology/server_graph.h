#pragma once
/// ServerGraph: the netlist of GPU servers with NVLinks, PCIe trees, NICs and the network between servers
/// (docs/blocks/pcie.md).

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/topology/graph.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Kind of a link.
enum class ServerLink : std::uint8_t { nvlink, pcie, processors, nic, network };

struct ServerGraphOptions {
  int nics = 1;  ///< NICs of each server that are used, starting with the first
  /// True: every GPU has its own port to its server's only NIC, so that PCIe is never a bottleneck.
  bool nics_aside = false;
};

/// Equal servers. GPU g of server s has number s x GPUs per server + g, and is the node of this number: `gpu0` ... Then
/// follow, server by server, `socket0` ... and `pcie0` ... (switches) in the order of the server's PCIe nodes, and
/// `nic0` ...; then `switch0`, if there are more than two NICs; last, if NVSwitches join the GPUs, one ideal
/// `nvswitch0` ... per server and island (nvlink_islands.h), to which all NVLinks of a GPU lead as one link of their
/// combined rate. Ports of a GPU: its NVLinks ordered by peer number, then PCIe, then its port to the NIC if `nics_aside`.
class ServerGraph {
 public:
  /// Throws TopologyError (one line): a server that check() refuses, one without the required NICs, more ports than a
  /// device has, or a GPU with NVLinks to NVSwitches and to GPUs.
  ServerGraph(std::string name, const Server& server, int servers, const ServerGraphOptions& options = {});

  const std::string& name() const { return name_; }
  const Server& server() const { return server_; }
  const Graph& graph() const { return graph_; }
  int servers() const { return servers_; }
  int gpus() const { return servers_ * server_.gpus(); }
  int server_of(int gpu) const { return gpu / server_.gpus(); }
  int local(int gpu) const { return gpu % server_.gpus(); }

  /// Returns the number of NICs per server that are used; 0 for a single server.
  int nics() const { return servers_ == 1 ? 0 : options_.nics; }
  /// The NIC by which a GPU reaches other servers if NICs are on PCIe: its node, and the links on the path to it.
  struct NicPath {
    int node = -1, links = 0;
  };
  NicPath nic_of(int gpu) const;

  /// Returns the kind of a link, by its number in the graph.
  ServerLink kind(std::size_t link) const { return kinds_.at(link); }
  /// Returns the kind of the link at a port.
  ServerLink kind(PortRef port) const;
  bool is_socket(int node) const;
  /// True if NVSwitches join GPUs of a server.
  bool switched() const { return nvswitches_ > 0; }
  bool is_nvswitch(int node) const { return switched() && node >= nvswitch_node(0, 0); }
  /// True if a direct NVLink or an NVSwitch leads from one GPU to the other.
  bool joined(int a, int b) const;
  /// Returns the number of NVLinks that the link at a port, of kind nvlink, represents.
  int bonded(PortRef port) const;
  /// Returns the number of direct NVLinks of two GPUs; 0 between servers.
  int nvlinks(int a, int b) const { return server_of(a) == server_of(b) ? server_.between(local(a), local(b)) : 0; }
  /// True if the PCIe path between two GPUs of a server passes a processor.
  bool through_processor(int a, int b) const;
  /// Returns the port of a non-GPU node towards a GPU: fewest links, then lowest port number, but of equal NICs at one PCIe
  /// node the i-th for the i-th GPU there; -1 for an NVSwitch and a GPU of another server.
  int port_towards(int node, int gpu) const;
  /// Returns the ports by which a packet leaves each node on the PCIe path between two GPUs, beginning with the GPU.
  std::vector<PortRef> route(int from, int to) const;
  /// Returns the raw rate that the server's file gives for the link at a port, a PCIe link or a NIC's [unit: bytes/s];
  /// 0: unknown.
  std::uint64_t rate_of_file(PortRef port) const;
  /// Returns the number of links between two GPUs over PCIe and the network.
  int hops(int from, int to) const;

 private:
  struct Joint {
    int a, b;
    ServerLink kind;
    std::uint64_t file_rate = 0;
    int bonded = 1;
  };
  std::vector<Node> nodes_of_servers() const;
  std::vector<Joint> joints() const;
  void build();
  void find_routes();
  int gpu_node(int server, int gpu) const { return server * server_.gpus() + gpu; }
  int pcie_node(int server, int number) const;
  int nic_node(int server, int nic) const;
  int nvswitch_node(int server, int number) const;
  void place_nvswitches();
  /// Returns the PCIe node of a NIC; -1 for other devices.
  int place_of_nic(int node) const;
  /// Returns the ports of a node in order, but those to NICs of one PCIe node begin with number `turn` of them.
  std::vector<int> ports_in_turn(int node, int turn) const;

  std::string name_;
  Server server_;
  int servers_;
  ServerGraphOptions options_;
  std::vector<int> to_switches_, nvswitch_of_;  ///< [local GPU] NVLinks to NVSwitches; number of its NVSwitch, or -1
  int nvswitches_ = 0;                          ///< per server
  Graph graph_;
  std::vector<ServerLink> kinds_;                       ///< by link
  std::vector<std::vector<ServerLink>> kind_of_port_;   ///< [node][port]
  std::vector<std::vector<std::uint64_t>> file_rates_;  ///< [node][port]
  std::vector<std::vector<int>> bonded_;                ///< [node][port]
  std::vector<std::vector<int>> towards_, hops_;        ///< [GPU][node]: port, links
};

/// A parsed platform name: `dgx1v`, any other name of server(), or `servers:2xdgx1v` for 2 to 16 equal servers.
struct ServerNames {
  std::string server;
  int count = 1;
};
/// Parses a platform name. Throws std::invalid_argument (one line).
ServerNames server_names(const std::string& platform);

/// Returns the server of which the platform has one or several. Throws as server_names() and server() do.
Server repeated_server(const PlatformDescription& platform);

}  // namespace tributary::topology
