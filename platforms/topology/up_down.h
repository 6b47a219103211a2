#pragma once
/// UpDown: up*/down* routes, which cannot deadlock in any connected network of switches (Schroeder et al., Autonet, IEEE
/// JSAC 1991).

#include <cstdint>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Switches are in breadth-first order from a root. A link to an earlier switch leads up, any other down. A path has links
/// up, then links down: no link up follows a link down, so that links never wait for each other in a cycle. The root is the
/// switch from which the farthest switch is nearest, with the lowest number. Parallel links lead the same way.
class UpDown {
 public:
  /// `graph`: ends with one link each, and switches. Every switch must be connected with every other.
  explicit UpDown(const Graph& graph);

  /// True if the link at a port of a switch leads up to another switch.
  bool leads_up(PortRef port) const;
  /// Returns the port by which a packet to end `to` leaves a switch: down if links down lead there, else up, by fewest
  /// links. Equal ports are selected by the number of the end.
  int port(int at, int to) const;
  /// Returns the largest number of switches on a path between two ends.
  int most_switches() const { return most_switches_; }

 private:
  struct Hop {
    int links = -1;  ///< links between switches to the destination; -1: none
    bool down = false;
    std::vector<std::uint8_t> ports;
  };

  int order(int node) const { return order_.at(static_cast<std::size_t>(node)); }
  void order_switches(const std::vector<std::vector<PortRef>>& links);
  void find_hops(int to);

  const Hop& hop(int from, int to) const {
    return hops_.at(static_cast<std::size_t>(order(to))).at(static_cast<std::size_t>(order(from)));
  }

  std::vector<int> order_;                  ///< [node] place of a switch in the order; -1: an end
  std::vector<int> switch_at_;              ///< [place]
  std::vector<PortRef> attached_;           ///< [node] port of the switch that leads to an end
  std::vector<std::vector<PortRef>> peer_;  ///< [node][port] other end; node -1: none
  std::vector<std::vector<Hop>> hops_;      ///< [place of the destination][place]
  int most_switches_ = 0;
};

}  // namespace tributary::topology
