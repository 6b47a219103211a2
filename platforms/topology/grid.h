#pragma once
/// Grid: tori and meshes, direct networks whose nodes are NICs with routers (docs/systems/multitree.md#networks).

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Directions in the order in which MultiTree visits the neighbours: Y, then X.
enum class Direction { north, south, west, east };

/// Node r x columns + c is in row r, column c. A dimension of size 2 has one link between its nodes, wrapped or not.
/// Unequal bandwidths are modelled as a multigraph: `y_links` and `x_links` parallel links, one per unit of bandwidth.
struct Grid {
  int rows = 0, columns = 0;
  bool wrap = false;
  int y_links = 1, x_links = 1;

  int nodes() const { return rows * columns; }
  int node(int row, int column) const { return row * columns + column; }
  /// Returns a port number: ports to the north come first, then south, west, east; parallel links are adjacent.
  int port(Direction direction, int unit = 0) const;
  int ports() const { return 2 * (y_links + x_links); }
  Direction direction(int port) const;
  int links(Direction direction) const {
    return direction == Direction::north || direction == Direction::south ? y_links : x_links;
  }
  /// Returns the neighbour of a node, or -1 at the edge of a mesh.
  int neighbour(int node, Direction direction) const;

  /// Returns nodes `nic0` ... of kind nic_router; a port at the edge of a mesh has no link. Throws TopologyError for
  /// fewer than 2 nodes or no links.
  Graph graph() const;
  /// Returns the ports by which a packet leaves each router in dimension order: X then Y, the shorter direction around,
  /// the positive one of two equal ones, and the first of parallel links.
  std::vector<PortRef> route(int from, int to) const;
  /// Returns all nodes as a ring: a Hamiltonian cycle if one exists (docs/systems/multitree.md#baselines). A mesh of
  /// one row or column, or of two odd dimensions, has none: the last hop then returns along route().
  std::vector<int> ring() const;

 private:
  bool wraps(int size) const { return wrap && size > 2; }
  int steps(int from, int to, int size) const;
};

}  // namespace tributary::topology
