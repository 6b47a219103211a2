#pragma once
/// Tori and meshes: direct networks, whose nodes are NICs with routers (docs/systems/multitree.md#networks).

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Directions in the order in which MultiTree asks the neighbours: Y, then X.
enum class Direction { north, south, west, east };

/// Node r x columns + c lies in row r, column c. A dimension of 2 has one link between its nodes, wrapped or not. Links of
/// unequal bandwidth are a multigraph: `y_links` and `x_links` parallel links, one for each unit of bandwidth.
struct Grid {
  int rows = 0, columns = 0;
  bool wrap = false;
  int y_links = 1, x_links = 1;

  int nodes() const { return rows * columns; }
  int node(int row, int column) const { return row * columns + column; }
  /// Ports to the north come first, then south, west, east; each direction has its parallel links side by side.
  int port(Direction direction, int unit = 0) const;
  int ports() const { return 2 * (y_links + x_links); }
  Direction direction(int port) const;
  int links(Direction direction) const {
    return direction == Direction::north || direction == Direction::south ? y_links : x_links;
  }
  /// The node next to this one, or -1 at the edge of a mesh.
  int neighbour(int node, Direction direction) const;

  /// `nic0` ..., kind nic_router; a port at the edge of a mesh has no link. Throws TopologyError below 2 nodes, or without
  /// links.
  Graph graph() const;
  /// Dimension order, X then Y, the shorter way round, the positive one of two equal ones; the first of parallel links.
  /// Ports by which the packet leaves each router.
  std::vector<PortRef> route(int from, int to) const;
  /// All nodes as a ring: a Hamiltonian cycle where there is one (docs/systems/multitree.md#baselines). There is none in a
  /// mesh of one row or column, or of two odd dimensions: then the last hop runs back by `route`.
  std::vector<int> ring() const;

 private:
  bool wraps(int size) const { return wrap && size > 2; }
  int steps(int from, int to, int size) const;
};

}  // namespace tributary::topology
