#pragma once
/// The machine as a picture: devices, and links coloured by their load.

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::html {

/// Of a directed link, by its name: `gpu3.port2>switch0_2.port3`.
struct LinkLoad {
  std::string name;
  double utilisation = 0;  ///< 0 to 1
  double bytes = 0;
  double rate_GBps = 0;  ///< 0: not known
};

/// As SVG. Groups stand in rows and planes in columns where there are any, networks that are a grid in that grid (`platform`
/// says its shape, `torus:4x8`), else endpoints on a circle; of large machines, planes and groups of endpoints are folded.
std::string draw_topology(const topology::Graph& graph, const std::string& platform, const std::vector<LinkLoad>& loads);

}  // namespace tributary::html
