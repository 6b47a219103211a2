#pragma once
/// Server: a server of GPUs joined by NVLinks, directly (DGX-1) or over NVSwitches, with its PCIe tree and NICs.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/topology/platform_description.h"

namespace tributary::topology {

/// A PCIe link as its devices report it.
struct PcieLink {
  double speed = 0;        ///< GT/s per lane: 2.5, 5, 8, 16, 32 or 64; 0: unknown
  int width = 0;           ///< lanes; 0: unknown
  std::uint64_t rate = 0;  ///< overrides the rate of speed and width [unit: bytes/s]; 0: no override
};
/// Returns the rate per direction after line coding (8b/10b up to 5 GT/s, 128b/130b up to 32, 242 of 256 B at 64)
/// [unit: bytes/s]; 0: unknown.
std::uint64_t pcie_rate(const PcieLink& link);

/// A socket of the host or a PCIe switch. Sockets are connected by the link between processors.
struct PcieNode {
  int parent = -1;               ///< number of the node above; -1: this node is a socket
  int number = -1;               ///< NUMA node of a socket; -1: unknown
  PcieLink up{};                 ///< link of a switch to the node above
  std::uint64_t to_sockets = 0;  ///< rate from a socket to the others that NCCL plans with [unit: bytes/s]; 0: unknown
};

/// GPUs are 0 to gpus() - 1, in the order of their PCIe addresses, or in the order of their numbers in a file.
struct Server {
  std::string name;
  std::vector<std::vector<int>> links;  ///< NVLinks of each pair of GPUs, full duplex: symmetric, 0 on the diagonal
  std::vector<PcieNode> pcie;           ///< parents come before their children
  std::vector<int> gpu_on;              ///< the PCIe node of each GPU
  std::vector<int> nic_on;              ///< the PCIe node of each NIC

  // Additional data from files. Empty or 0 for built-in servers, for which parameters apply.
  std::vector<std::vector<int>> switch_links{};  ///< NVLinks of each GPU to each NVSwitch; empty: no NVSwitches
  std::vector<std::string> switch_names{};       ///< names of NVSwitches; empty: they are numbered
  std::vector<std::vector<int>> trunks{};        ///< NVLinks of each pair of NVSwitches, symmetric; empty: not known
  std::uint64_t nvlink_rate = 0;                 ///< raw rate of a link per direction [unit: bytes/s]; 0: unknown
  int sm = 0;                                    ///< compute capability of the GPUs; 0: unknown
  std::string gpu_kind{};                        ///< name of their kind (gpu_kinds.h) if `sm` does not decide it; else empty
  std::string gcn{};                             ///< architecture of GPUs of AMD; otherwise empty
  std::vector<PcieLink> gpu_up{}, nic_up{};      ///< PCIe links of GPUs and NICs
  /// Network rate of each NIC, all ports together [unit: bytes/s]; 0: unknown.
  std::vector<std::uint64_t> nic_rate{};
  std::vector<std::string> notes{};  ///< contents of the file that are not modelled, one line each

  int gpus() const { return static_cast<int>(links.size()); }
  int switches() const { return switch_links.empty() ? 0 : static_cast<int>(switch_links.front().size()); }
  /// Returns the number of NVLinks between two GPUs.
  int between(int a, int b) const { return links.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b)); }
  /// Returns the socket above a PCIe node.
  int socket_of(int node) const;
};

/// Throws TopologyError (one line) for links that are not symmetric, a GPU with a link to itself, negative numbers,
/// PCIe nodes that do not exist or precede their parents, or lists whose length is not the number of GPUs or NICs.
void check(const Server& server);

/// A form of names and its description.
struct ServerForm {
  std::string name, about;
  // of a built-in server
  int gpus = 0;
  bool switched = false;  ///< NVSwitches join its GPUs
};
/// Returns the built-in servers.
const std::vector<ServerForm>& server_forms();
/// Returns the forms of names that denote files (docs/topology_files.md).
const std::vector<ServerForm>& server_file_forms();

/// True for a built-in server or a server that files describe.
bool is_server(const PlatformDescription& platform);

/// Returns the server `dgx1p`, `dgx1v`, or that of files: `nccl_xml:FILE`, `topo_m:FILE`, `nccl_xml:FILE+topo_m:FILE`,
/// `file:FILE`. Throws std::invalid_argument (one line): an unknown name with the legal ones.
Server server(const PlatformDescription& platform);

}  // namespace tributary::topology
