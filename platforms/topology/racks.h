#pragma once
/// Hosts on Ethernet switches, in one rack or several, with an accelerator beside each switch (Liu et al., ASPLOS 2023).

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Nodes of the graph: hosts, leaf switches, spine switches, then the accelerators of both. Stations, the addresses of
/// frames, are the hosts, then the accelerators.
struct Racks {
  std::string name;           ///< as it was given
  int racks = 1, hosts = 0;   ///< hosts of each rack
  int gpus = 1;               ///< of each host; ranks are GPUs
  int spines = 0;             ///< with several racks
  int accelerator_ports = 0;  ///< of a leaf; 0: there are no accelerators
  Graph graph;

  int all_hosts() const { return racks * hosts; }
  int ranks() const { return all_hosts() * gpus; }
  bool tree() const { return spines > 0; }
  int rack_of(int host) const { return host / hosts; }
  int accelerators() const { return accelerator_ports == 0 ? 0 : racks + spines; }
  int stations() const { return all_hosts() + accelerators(); }

  // Nodes.
  int leaf(int rack) const { return all_hosts() + rack; }
  int spine(int i) const { return leaf(racks) + i; }
  int leaf_accelerator(int rack) const { return spine(spines) + rack; }
  int spine_accelerator(int i) const { return leaf_accelerator(racks) + i; }
  // Stations of accelerators.
  int leaf_station(int rack) const { return all_hosts() + rack; }
  int spine_station(int i) const { return all_hosts() + racks + i; }
  int node_of(int station) const { return station < all_hosts() ? station : station + racks + spines; }

  // Ports of a leaf switch: hosts, its accelerator, spines.
  int accelerator_port(int i) const { return hosts + i; }
  int spine_port(int i) const { return hosts + accelerator_ports + i; }
  /// Of a spine switch: leaves, then its accelerator.
  int spine_accelerator_port(int i) const { return racks + i; }
};

/// A form of name and what it is: `rack:HxG`.
struct RacksForm {
  std::string name, hosts, about;
};
const std::vector<RacksForm>& racks_forms();

/// `rack:H`, `rack:HxG`, `spine_leaf:RxH`, `spine_leaf:RxHxG`. `accelerator_ports`: of a leaf's accelerator; 0:
/// one for each host, and in a tree one more. Throws std::invalid_argument, one line.
Racks racks(const std::string& name, int accelerator_ports = 0, int spines = 1);

}  // namespace tributary::topology
