#pragma once
/// Racks: hosts on Ethernet switches in one or more racks, with an accelerator attached to each switch (Liu et al.,
/// ASPLOS 2023).

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Nodes of the graph: hosts, leaf switches, spine switches, then the accelerators of both. Stations, the addresses of
/// frames, are the hosts, then the accelerators.
struct Racks {
  std::string name;           ///< as given
  int racks = 1, hosts = 0;   ///< `hosts`: hosts per rack
  int gpus = 1;               ///< per host; ranks are GPUs
  int spines = 0;             ///< only with several racks
  int accelerator_ports = 0;  ///< ports of a leaf's accelerator; 0: no accelerators
  Graph graph;

  int all_hosts() const { return racks * hosts; }
  int ranks() const { return all_hosts() * gpus; }
  bool tree() const { return spines > 0; }
  int rack_of(int host) const { return host / hosts; }
  int accelerators() const { return accelerator_ports == 0 ? 0 : racks + spines; }
  int stations() const { return all_hosts() + accelerators(); }

  // Node numbers.
  int leaf(int rack) const { return all_hosts() + rack; }
  int spine(int i) const { return leaf(racks) + i; }
  int leaf_accelerator(int rack) const { return spine(spines) + rack; }
  int spine_accelerator(int i) const { return leaf_accelerator(racks) + i; }
  // Stations of the accelerators.
  int leaf_station(int rack) const { return all_hosts() + rack; }
  int spine_station(int i) const { return all_hosts() + racks + i; }
  int node_of(int station) const { return station < all_hosts() ? station : station + racks + spines; }

  // Ports of a leaf switch, in this order: hosts, its accelerator, spines.
  int accelerator_port(int i) const { return hosts + i; }
  int spine_port(int i) const { return hosts + accelerator_ports + i; }
  /// Port of a spine switch to its accelerator; leaves come first.
  int spine_accelerator_port(int i) const { return racks + i; }
};

/// A form of names and its description: `rack:HxG`.
struct RacksForm {
  std::string name, hosts, about;
};
const std::vector<RacksForm>& racks_forms();

/// Parses `rack:H`, `rack:HxG`, `spine_leaf:RxH` or `spine_leaf:RxHxG`. `accelerator_ports`: ports of a leaf's
/// accelerator; 0: one per host, plus one in a tree. Throws std::invalid_argument (one line).
Racks racks(const std::string& name, int accelerator_ports = 0, int spines = 1);

}  // namespace tributary::topology
