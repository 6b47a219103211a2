#pragma once
/// Draws the machine: devices, and links coloured by their load.

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::html {

/// Load of a directed link, by name: `gpu3.port2>switch0_2.port3`.
struct LinkLoad {
  std::string name;
  double utilisation = 0;  ///< 0 to 1
  double bytes = 0;
  double rate_GBps = 0;  ///< 0: unknown
};

/// A directed link that is down.
struct DeadLink {
  std::string name;
  std::string since;  ///< time from the start of the run, as text
};

/// Returns SVG. Links that are down are marked by a dashed line with a cross. Groups are drawn in rows and planes in
/// columns; grid networks as a grid whose shape is in the name `platform` (`torus:4x8`); servers of a cluster next to each
/// other, each in a frame; all others with endpoints on a circle. In large machines, planes and groups of endpoints are
/// drawn as one.
std::string draw_topology(const topology::Graph& graph, const std::string& platform, const std::vector<LinkLoad>& loads,
                          const std::vector<DeadLink>& dead = {});

}  // namespace tributary::html
