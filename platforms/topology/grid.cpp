#include "platforms/topology/grid.h"

#include <cstdlib>
#include <tuple>

namespace tributary::topology {
namespace {

/// Column 0 leads back up; the other columns form a snake. Requires an even number of rows and at least two columns.
std::vector<int> cycle_of_even_rows(const Grid& grid, int rows) {
  std::vector<int> ring;
  for (int r = 0; r < rows; ++r)
    for (int k = 1; k < grid.columns; ++k) ring.push_back(grid.node(r, r % 2 == 0 ? k : grid.columns - k));
  for (int r = rows - 1; r >= 0; --r) ring.push_back(grid.node(r, 0));
  return ring;
}

/// Inserts the last row of an odd torus into the cycle of the other rows: it is walked all around between two
/// neighbours of row 0.
std::vector<int> odd_torus_ring(const Grid& grid) {
  std::vector<int> ring = cycle_of_even_rows(grid, grid.rows - 1);
  std::vector<int> last;  // from below column 1 west, round, to below column 2
  for (int k = 0; k < grid.columns; ++k) last.push_back(grid.node(grid.rows - 1, (1 - k + grid.columns) % grid.columns));
  ring.insert(ring.begin() + 1, last.begin(), last.end());
  return ring;
}

std::vector<int> snake(const Grid& grid) {
  std::vector<int> path;
  for (int r = 0; r < grid.rows; ++r)
    for (int k = 0; k < grid.columns; ++k) path.push_back(grid.node(r, r % 2 == 0 ? k : grid.columns - 1 - k));
  return path;
}

}  // namespace

int Grid::port(Direction direction, int unit) const {
  switch (direction) {
    case Direction::north:
      return unit;
    case Direction::south:
      return y_links + unit;
    case Direction::west:
      return 2 * y_links + unit;
    case Direction::east:
      break;
  }
  return 2 * y_links + x_links + unit;
}

Direction Grid::direction(int port) const {
  for (const Direction d : {Direction::north, Direction::south, Direction::west})
    if (port < this->port(d) + links(d)) return d;
  return Direction::east;
}

int Grid::neighbour(int node, Direction direction) const {
  const bool vertical = direction == Direction::north || direction == Direction::south;
  const int size = vertical ? rows : columns;
  const int route = direction == Direction::south || direction == Direction::east ? 1 : -1;
  const int row = node / columns, column = node % columns;
  int place = (vertical ? row : column) + route;
  if (place < 0 || place >= size) {
    if (!wraps(size)) return -1;
    place = (place + size) % size;
  }
  return vertical ? this->node(place, column) : this->node(row, place);
}

Graph Grid::graph() const {
  if (rows < 1 || columns < 1 || nodes() < 2)
    throw TopologyError(std::to_string(rows) + "x" + std::to_string(columns) + " has fewer than two nodes");
  if (y_links < 1 || x_links < 1) throw TopologyError("neighbours need at least 1 link");
  Graph graph;
  for (int n = 0; n < nodes(); ++n)
    graph.add_node({NodeKind::nic_router, "nic" + std::to_string(n), ports(), n / columns, -1, n});
  for (int n = 0; n < nodes(); ++n)
    for (const auto& [out, in, links] :
         {std::tuple{Direction::south, Direction::north, y_links}, std::tuple{Direction::east, Direction::west, x_links}})
      if (const int next = neighbour(n, out); next >= 0)
        for (int unit = 0; unit < links; ++unit) graph.connect({n, port(out, unit)}, {next, port(in, unit)});
  return graph;
}

/// Returns the signed number of hops in one dimension.
int Grid::steps(int from, int to, int size) const {
  if (!wraps(size)) return to - from;
  const int ahead = (to - from + size) % size;
  return ahead <= size - ahead ? ahead : ahead - size;
}

std::vector<PortRef> Grid::route(int from, int to) const {
  std::vector<PortRef> path;
  const auto walk = [&](int hops, Direction forward, Direction back) {
    const Direction route = hops > 0 ? forward : back;
    for (int h = std::abs(hops); h > 0; --h) {
      path.push_back({from, port(route)});
      from = neighbour(from, route);
    }
  };
  walk(steps(from % columns, to % columns, columns), Direction::east, Direction::west);
  walk(steps(from / columns, to / columns, rows), Direction::south, Direction::north);
  return path;
}

std::vector<int> Grid::ring() const {
  if (rows % 2 == 0 && columns > 1) return cycle_of_even_rows(*this, rows);
  if (columns % 2 == 0 && rows > 1) {
    std::vector<int> ring = Grid{columns, rows, wrap}.ring();
    for (int& n : ring) n = node(n % rows, n / rows);
    return ring;
  }
  if (wrap && rows > 2 && columns > 2) return odd_torus_ring(*this);
  return snake(*this);
}

}  // namespace tributary::topology
