#pragma once
/// A server of GPUs that NVLinks join directly (DGX-1): links of each pair, PCIe tree, NICs.

#include <string>
#include <vector>

namespace tributary::topology {

/// A socket of the host or a PCIe switch. Sockets are joined by the link between processors.
struct PcieNode {
  int parent = -1;  ///< number of the node above; -1: a socket
};

/// GPUs are 0 to gpus() - 1, in the order of their PCIe addresses.
struct Server {
  std::string name;
  std::vector<std::vector<int>> links;  ///< NVLinks of each pair, full duplex: symmetric, 0 on the diagonal
  std::vector<PcieNode> pcie;           ///< a node stands behind its parent
  std::vector<int> gpu_on;              ///< the PCIe node of each GPU
  std::vector<int> nic_on;              ///< the PCIe node of each NIC

  int gpus() const { return static_cast<int>(links.size()); }
  /// NVLinks between two GPUs.
  int between(int a, int b) const { return links.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b)); }
  /// The socket below which a PCIe node lies.
  int socket_of(int node) const;
};

/// Throws TopologyError, one line: links that are not symmetric, a GPU with a link to itself, negative numbers, PCIe nodes
/// that do not exist or stand before their parents.
void check(const Server& server);

/// A form of name and what it is.
struct ServerForm {
  std::string name, about;
};
const std::vector<ServerForm>& server_forms();

/// `dgx1p`, `dgx1v`. Throws std::invalid_argument, one line with what is legal.
Server server(const std::string& name);

}  // namespace tributary::topology
