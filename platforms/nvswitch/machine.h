#pragma once
/// Machine: machines of GPUs and NVSwitches by name, from a table or from files.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/protocol/address_map.h"
#include "platforms/topology/gpu_kinds.h"
#include "platforms/topology/graph.h"
#include "platforms/topology/platform_description.h"

namespace tributary {

/// Tables and waves of the paper's figures for a machine (docs/systems/klenk.md#figures); the values of automatic
/// parameters.
struct MachineDefaults {
  std::uint32_t push_waves = 16, pull_waves = 4;
  Bytes push_table = 256_B, pull_table = 4_KiB;
};

/// A machine of NVSwitches: its netlist, and the interleaving of addresses over it. If the netlist has several islands, they
/// are equal, and `shape` is that of one of them.
struct Machine {
  std::string name;  ///< without arguments; first part of all hierarchical names
  std::string about;
  topology::Graph graph;
  AddressMap::Shape shape;
  MachineDefaults defaults;
  Bandwidth link_rate{};             ///< rate of each link, if a file gives it; 0: set by parameters
  std::vector<std::string> notes{};  ///< notes about a file: contents that are not modelled, and assumptions; one line each
  topology::GpuKind gpus{};          ///< kind of its GPUs, whose constants are those of automatic parameters
};

/// A machine name NAME[:ARGS].
struct MachineName {
  std::string name;  ///< with arguments, if any
  std::string about;
  int gpus = 0;          ///< number of GPUs of the machine
  int participants = 0;  ///< default number of participating GPUs
};

/// Returns all legal names in table order; the first of a machine with arguments is its default.
const std::vector<MachineName>& machine_names();
/// Completes NAME[:ARGS]. Throws std::invalid_argument (one line) for an unknown name or illegal arguments.
MachineName machine_name(const topology::PlatformDescription& platform);
/// Returns the names without arguments: `dgx2`, `fat_tree`.
std::vector<std::string> machine_kinds();
/// Builds a machine. Throws as machine_name() does, and for NVSwitches of a file that cannot be divided into planes.
Machine machine(const topology::PlatformDescription& platform);

/// True for a file in which NVSwitches join GPUs.
bool is_machine_file(const topology::PlatformDescription& platform);

}  // namespace tributary
