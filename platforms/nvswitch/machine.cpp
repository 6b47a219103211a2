#include "platforms/nvswitch/machine.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/dgx2.h"
#include "platforms/topology/fat_tree.h"

namespace tributary {
namespace {

struct Row {
  const char* name;
  const char* about;
  topology::Graph (*graph)();
  AddressMap::Shape shape;  // planes, switches of a plane, home ports of a switch, trunks, spines of a plane
  MachineDefaults defaults;
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"dgx2", "16 GPUs, 12 NVSwitches in 6 planes", topology::dgx2, {6, 2, 16, 8}, {}},
      {"fat_tree",
       "128 GPUs, 96 leaf and 48 spine NVSwitches in 6 planes",
       topology::fat_tree,
       {6, 24, 16, 8, 8},
       {64, 16, 256_B, 1_KiB}},
  };
  return rows;
}

std::string base(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace

const std::vector<MachineName>& machine_names() {
  static const std::vector<MachineName> names{
      {"dgx2", table()[0].about, 16, 16},
      {"fat_tree:128", table()[1].about, 128, 128},
      {"fat_tree:64", "the same, of which 64 GPUs take part (--gpus 64)", 128, 64},
  };
  return names;
}

const MachineName& machine_name(const std::string& name) {
  std::vector<std::string> legal;
  for (const MachineName& known : machine_names()) {
    if (known.name == name) return known;
    if (known.name == base(name) || base(known.name) == base(name)) legal.push_back(known.name);
  }
  if (legal.empty()) throw std::invalid_argument(unknown_name("platform", base(name), machine_kinds()));
  const bool bare = name.find(':') == std::string::npos;
  if (bare) return machine_name(legal.front());
  const std::string given = "'" + name.substr(base(name).size() + 1) + "' is given";
  if (legal.front() == base(name))
    throw std::invalid_argument("platform " + base(name) + " takes no arguments, but " + given);
  throw std::invalid_argument("platform " + base(name) + " takes a number of GPUs, but " + given +
                              " (legal: " + join_names(legal) + ")");
}

std::vector<std::string> machine_kinds() {
  std::vector<std::string> kinds;
  for (const Row& row : table()) kinds.emplace_back(row.name);
  return kinds;
}

Machine machine(const std::string& name) {
  const std::string wanted = base(machine_name(name).name);
  for (const Row& row : table())
    if (wanted == row.name) return {row.name, row.about, row.graph(), row.shape, row.defaults};
  throw std::invalid_argument("platform '" + name + "' has no netlist");
}

}  // namespace tributary
