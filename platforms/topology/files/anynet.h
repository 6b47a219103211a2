#pragma once
/// Networks in the text form of BookSim's topology `anynet` (docs/topology_files.md#anynet).

#include <string>
#include <vector>

#include "platforms/topology/network.h"

namespace tributary::topology {

/// A network, and what its text says that another reader may take otherwise.
struct Anynet {
  Network network;                       ///< `nic0` ..., then `router0` ...
  std::vector<std::vector<int>> cycles;  ///< [node][port]: latency of the link out
  std::vector<std::string> warnings;
};

/// Lines `router R` or `node N`, then pairs `router R` and `node N`, each with a latency in cycles behind or not (1).
/// `path` stands in front of errors, and `file:` with it is the network's name. Throws std::invalid_argument,
/// `PATH:LINE: what (legal: ...)`: nodes that do not count from 0 without a gap, a node at no router or at two, links of two
/// nodes, a second, other latency, parts that nothing joins, ways that could wait for each other in a circle.
Anynet read_anynet(const std::string& text, const std::string& path);

/// The same of a file.
Anynet anynet_file(const std::string& path);

/// [node][port] of the network of that name: cycles that a link out takes; empty: it is of no file, and all are alike.
/// Throws as read_anynet does.
std::vector<std::vector<int>> link_cycles(const std::string& network);

/// Whether a text begins as one: its first word is `router` or `node`.
bool is_anynet(const std::string& text);

}  // namespace tributary::topology
