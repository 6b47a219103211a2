#pragma once
/// Layout: positions of the devices in a picture of the machine.

#include <string>
#include <vector>

#include "platforms/topology/graph.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {

/// The name of a device in the picture; its position is that of the text's base line.
struct NameTag {
  std::string text;  ///< the whole name or, within a small circle, its number
  double x = 0, y = 0, size = 9;
  plot::Anchor anchor = plot::Anchor::middle;
  bool turned = false;  ///< reads upwards
};

/// A device, or several devices drawn as one.
struct Spot {
  double x = 0, y = 0;
  std::string name;
  bool end = false;  ///< an endpoint of collectives, drawn as a circle; others are boxes
  std::size_t members = 0;
  double width = 24, height = 24;  ///< size of the circle or box
  NameTag tag;
};

/// A frame around devices, with its title in the lower left corner.
struct Frame {
  double x = 0, y = 0, width = 0, height = 0;
  std::string title;
};

struct Layout {
  std::vector<Spot> spots;
  std::vector<std::size_t> spot_of_node;
  double width = 0, height = 0;
  bool grid = false;  ///< links between nodes that are not neighbours are drawn as arcs
  std::vector<Frame> frames;
};

Layout lay_out(const topology::Graph& graph, const std::string& platform);

}  // namespace tributary::html
