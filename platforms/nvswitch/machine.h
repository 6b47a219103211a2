#pragma once
/// Machines of GPUs and NVSwitches by name: a plain table, and those that files describe.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/protocol/address_map.h"
#include "platforms/topology/graph.h"

namespace tributary {

/// Tables and waves of the paper's figures on a machine (docs/systems/klenk.md#figures): what automatic parameters become.
struct MachineDefaults {
  std::uint32_t push_waves = 16, pull_waves = 4;
  Bytes push_table = 256_B, pull_table = 4_KiB;
};

/// What it takes to build a system of NVSwitches: the netlist, and how addresses spread over it.
struct Machine {
  std::string name;  ///< without arguments: first part of all hierarchical names
  std::string about;
  topology::Graph graph;
  AddressMap::Shape shape;
  MachineDefaults defaults;
  Bandwidth link_rate{};             ///< of each link, where a file says it; 0: parameters do
  std::vector<std::string> notes{};  ///< of a file: what no model of ours has, and what is assumed; a line each
};

/// NAME[:ARGS] as a user may give it.
struct MachineName {
  std::string name;  ///< with its arguments, if it takes any
  std::string about;
  int gpus = 0;          ///< of the machine
  int participants = 0;  ///< GPUs that take part unless the user says otherwise
};

/// All legal names, in the order of the table; of a machine with arguments, the first is its standard.
const std::vector<MachineName>& machine_names();
/// NAME[:ARGS] in full. Throws std::invalid_argument, one line: an unknown name, or arguments that the machine does not
/// take.
MachineName machine_name(const std::string& name);
/// Without their arguments: `dgx2`, `fat_tree`.
std::vector<std::string> machine_kinds();
/// Throws as machine_name does; of `file:FILE`, which is read anew with each call, also what the file's reader does.
Machine machine(const std::string& name);

/// Whether a name is of a file in which NVSwitches join GPUs. Throws std::invalid_argument as the file's reader does.
bool names_machine_file(const std::string& name);

}  // namespace tributary
