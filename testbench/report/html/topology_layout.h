#pragma once
/// Layout: positions of the devices in a picture of the machine.

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::html {

/// A device, or several devices drawn as one.
struct Spot {
  double x = 0, y = 0;
  std::string name;
  bool end = false;  ///< an endpoint of collectives
  std::size_t members = 0;
};

struct Layout {
  std::vector<Spot> spots;
  std::vector<std::size_t> spot_of_node;
  double width = 0, height = 0;
  bool grid = false;  ///< links between nodes that are not neighbours are drawn as arcs
};

Layout lay_out(const topology::Graph& graph, const std::string& platform);

}  // namespace tributary::html
