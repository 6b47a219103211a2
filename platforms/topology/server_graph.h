#pragma once
/// Servers of GPUs as a netlist: NVLinks of pairs, PCIe trees, NICs and the network between servers (docs/blocks/pcie.md).

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/topology/graph.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// What joins two ports.
enum class ServerLink : std::uint8_t { nvlink, pcie, processors, nic, network };

struct ServerGraphOptions {
  int nics = 1;             ///< of each server that are used, the first ones
  bool nics_aside = false;  ///< every GPU has a port of its own to its server's one NIC: PCIe limits nothing
};

/// Equal servers. GPU g of server s has number s x GPUs of a server + g, and so has its node: `gpu0`, ... Behind the GPUs,
/// server by server, `socket0` ... and `pcie0` ... (switches), in the order of the server's PCIe nodes, then `nic0` ...;
/// then `switch0`, where more than two NICs meet; at last, where NVSwitches join the GPUs, one ideal `nvswitch0` ... of each
/// server, to which all NVLinks of a GPU lead as one link of their rates together.
/// Ports of a GPU: its NVLinks in the order of the peers' numbers, then PCIe, then, where NICs stand aside, that to the NIC.
class ServerGraph {
 public:
  /// Throws TopologyError, one line: a server that check() refuses, one without the NICs, more ports than a device has, GPUs
  /// with unlike numbers of NVLinks to NVSwitches or with direct ones beside.
  ServerGraph(std::string name, const Server& server, int servers, const ServerGraphOptions& options = {});

  const std::string& name() const { return name_; }
  const Server& server() const { return server_; }
  const Graph& graph() const { return graph_; }
  int servers() const { return servers_; }
  int gpus() const { return servers_ * server_.gpus(); }
  int server_of(int gpu) const { return gpu / server_.gpus(); }
  int local(int gpu) const { return gpu % server_.gpus(); }

  /// Of each server, that are used; none of a server alone.
  int nics() const { return servers_ == 1 ? 0 : options_.nics; }
  /// The NIC by which a GPU reaches other servers, where NICs are on PCIe: its node, and links to it.
  struct NicWay {
    int node = -1, links = 0;
  };
  NicWay nic_of(int gpu) const;

  /// By its number in the graph.
  ServerLink kind(std::size_t link) const { return kinds_.at(link); }
  /// Of the link at a port.
  ServerLink kind(PortRef port) const;
  bool is_socket(int node) const;
  /// Whether NVSwitches join the GPUs of a server.
  bool switched() const { return server_.switches() > 0; }
  bool is_nvswitch(int node) const { return switched() && node >= nvswitch_node(0); }
  /// NVLinks that the link at a port, which is of kind nvlink, stands for.
  int bonded(PortRef port) const;
  /// Direct NVLinks of two GPUs; none between servers.
  int nvlinks(int a, int b) const { return server_of(a) == server_of(b) ? server_.between(local(a), local(b)) : 0; }
  /// Whether what two GPUs of a server exchange over PCIe passes a processor.
  bool through_processor(int a, int b) const;
  /// The port of a node other than a GPU towards a GPU: fewest links, of as many the lowest port; -1: an NVSwitch, and a GPU
  /// of another server.
  int port_towards(int node, int gpu) const;
  /// Ports that a packet leaves by between two GPUs by PCIe, the first that of the GPU.
  std::vector<PortRef> way(int from, int to) const;
  /// Raw rate that the server's file gives the link at a port: a PCIe link, or that of a NIC [unit: bytes/s]; 0: not known.
  std::uint64_t rate_of_file(PortRef port) const;
  /// Links between two GPUs by PCIe and the network.
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
  void find_ways();
  int gpu_node(int server, int gpu) const { return server * server_.gpus() + gpu; }
  int pcie_node(int server, int number) const;
  int nic_node(int server, int nic) const;
  int nvswitch_node(int server) const;

  std::string name_;
  Server server_;
  int servers_;
  ServerGraphOptions options_;
  Graph graph_;
  std::vector<ServerLink> kinds_;                      ///< by link
  std::vector<std::vector<ServerLink>> kind_of_port_;  ///< [node][port]
  std::vector<std::vector<std::uint64_t>> file_rates_;  ///< [node][port]
  std::vector<std::vector<int>> bonded_;                ///< [node][port]
  std::vector<std::vector<int>> towards_, hops_;       ///< [GPU][node]: port, links
};

/// `dgx1v`, all forms of server(), and `servers:2xdgx1v`: 2 to 16 equal ones. Throws std::invalid_argument, one line.
struct ServerNames {
  std::string server;
  int count = 1;
};
ServerNames server_names(const std::string& platform);

}  // namespace tributary::topology
