#pragma once
/// Machines by name: a plain table.

#include <string>
#include <vector>

#include "modules/switching/core/fabric_map.h"
#include "platforms/topology/graph.h"

namespace tributary {

/// What it takes to build a system of NVSwitches: the netlist, and how addresses spread over it.
struct Machine {
  std::string name;
  std::string about;
  topology::Graph graph;
  FabricMap::Shape shape;
};

/// Names in the order of the table.
std::vector<std::string> machine_names();
/// Throws std::invalid_argument for a name that is not in the table.
Machine machine(const std::string& name);

}  // namespace tributary
