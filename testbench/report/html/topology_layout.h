#pragma once
/// Where the devices of a machine stand in its picture.

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::html {

/// A device, or several that are folded into one.
struct Spot {
  double x = 0, y = 0;
  std::string name;
  bool end = false;  ///< takes part in collectives
  std::size_t members = 0;
};

struct Layout {
  std::vector<Spot> spots;
  std::vector<std::size_t> spot_of_node;
  double width = 0, height = 0;
  bool grid = false;  ///< links to others than neighbours are drawn as arcs
};

Layout lay_out(const topology::Graph& graph, const std::string& platform);

}  // namespace tributary::html
