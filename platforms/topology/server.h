#pragma once
/// A server of GPUs that NVLinks join, directly (DGX-1) or over NVSwitches: links, PCIe tree, NICs.

#include <cstdint>
#include <string>
#include <vector>

namespace tributary::topology {

/// A PCIe link as its devices report it.
struct PcieLink {
  double speed = 0;  ///< of a lane, GT/s: 2.5, 5, 8, 16, 32 or 64; 0: not known
  int width = 0;     ///< lanes; 0: not known
  std::uint64_t rate = 0;  ///< in place of what these two make [unit: bytes/s]; 0: they make it
};
/// In each direction after line coding (8b/10b up to 5 GT/s, 128b/130b up to 32, 242 of 256 B at 64) [unit: bytes/s]; 0: not
/// known.
std::uint64_t pcie_rate(const PcieLink& link);

/// A socket of the host or a PCIe switch. Sockets are joined by the link between processors.
struct PcieNode {
  int parent = -1;  ///< number of the node above; -1: a socket
  int number = -1;  ///< of a socket: its NUMA node; -1: not known
  PcieLink up{};    ///< of a switch: to the node above
  std::uint64_t to_sockets = 0;  ///< of a socket: rate to the others that NCCL reckons with [unit: bytes/s]; 0: not known
};

/// GPUs are 0 to gpus() - 1, in the order of their PCIe addresses; of a file, in the order of its numbers.
struct Server {
  std::string name;
  std::vector<std::vector<int>> links;  ///< NVLinks of each pair, full duplex: symmetric, 0 on the diagonal
  std::vector<PcieNode> pcie;           ///< a node stands behind its parent
  std::vector<int> gpu_on;              ///< the PCIe node of each GPU
  std::vector<int> nic_on;              ///< the PCIe node of each NIC

  // What files of servers say beside; of the built-in ones empty or 0, and then parameters hold.
  std::vector<std::vector<int>> switch_links{};  ///< NVLinks of each GPU to each NVSwitch; empty: there are none
  std::vector<std::string> switch_names{};       ///< of NVSwitches; empty: numbers
  std::vector<std::vector<int>> trunks{};        ///< NVLinks of each pair of NVSwitches, symmetric; empty: there are none
  std::uint64_t nvlink_rate = 0;                 ///< of a link in each direction, raw [unit: bytes/s]; 0: not known
  int sm = 0;                                    ///< compute capability of GPUs with links; 0: not known
  std::string gcn{};                             ///< their architecture, where links are xGMI; empty: they are not
  std::vector<PcieLink> gpu_up{}, nic_up{};      ///< PCIe links of GPUs and NICs
  std::vector<std::uint64_t> nic_rate{};         ///< on the network, all ports of a NIC [unit: bytes/s]; 0: not known
  std::vector<std::string> notes{};              ///< what a file has and no model of ours, a line each

  int gpus() const { return static_cast<int>(links.size()); }
  int switches() const { return switch_links.empty() ? 0 : static_cast<int>(switch_links.front().size()); }
  /// NVLinks between two GPUs.
  int between(int a, int b) const { return links.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b)); }
  /// The socket below which a PCIe node lies.
  int socket_of(int node) const;
};

/// Throws TopologyError, one line: links that are not symmetric, a GPU with a link to itself, negative numbers, PCIe nodes
/// that do not exist or stand before their parents, lists of other lengths than there are GPUs or NICs.
void check(const Server& server);

/// A form of name and what it is.
struct ServerForm {
  std::string name, about;
};
/// The servers built in.
const std::vector<ServerForm>& server_forms();
/// Forms of names that stand for files (docs/topology_files.md).
const std::vector<ServerForm>& server_file_forms();

/// Whether a name is one of a built-in server or begins as one of a file; no file is read.
bool names_server(const std::string& name);
/// Whether it begins as one of a file.
bool names_server_file(const std::string& name);

/// `dgx1p`, `dgx1v`, or `nccl_xml:FILE`, `topo_m:FILE`, `nccl_xml:FILE+topo_m:FILE`, which are read anew with each call.
/// Throws std::invalid_argument, one line: names with what is legal, `FILE:LINE: what (legal: ...)` of a file.
Server server(const std::string& name);

}  // namespace tributary::topology
