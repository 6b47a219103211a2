#pragma once
/// Reads networks in the text format of BookSim's `anynet` topology (docs/topology_files.md#anynet).

#include <string>
#include <vector>

#include "platforms/topology/network.h"

namespace tributary::topology {

/// A network, with warnings about text that another reader may interpret differently.
struct Anynet {
  Network network;                       ///< `nic0` ..., then `router0` ...
  std::vector<std::vector<int>> cycles;  ///< [node][port]: latency of the outgoing link
  std::vector<std::string> warnings;
};

/// Parses lines of `router R` or `node N` followed by pairs `router R` or `node N`, each with an optional latency in
/// cycles (default 1). A router that a line names several times has as many links to the head. `path` is the prefix of
/// errors; the network is named `file:` plus `path`. Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`, for:
/// nodes that are not numbered from 0 without gaps, a node at no router or at two, links between two nodes, a second and
/// different latency, and disconnected parts.
Anynet read_anynet(const std::string& bytes, const std::string& path);

/// Returns [node][port] latencies in cycles of the outgoing links of a network; empty if it does not come from a file, as
/// then all are equal.
std::vector<std::vector<int>> link_cycles(const PlatformDescription& network);

/// True if the first word of the text is `router` or `node`.
bool is_anynet(const std::string& text);

}  // namespace tributary::topology
