#pragma once
/// Tofino: hosts on one programmable switch, with or without ATP's parameter server (Liu et al., 6).

#include <string>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Nodes of the graph: hosts, the server if there is one, the switch. Host i is at port i of the switch, the server at
/// the next port. Stations, the addresses of frames, are the nodes.
struct Tofino {
  std::string name;  ///< as given
  int hosts = 0;
  bool server = false;
  Graph graph;

  int ports() const { return hosts + (server ? 1 : 0); }
  int server_node() const { return hosts; }
  int switch_node() const { return ports(); }
};

inline constexpr int most_tofino_hosts = 64;

/// Parses `tofino:H`. Throws std::invalid_argument (one line).
Tofino tofino(const std::string& name, bool server = false);

}  // namespace tributary::topology
