#include "platforms/catalog.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/dgx2.h"
#include "platforms/topology/fat_tree.h"
#include "platforms/topology/network.h"

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

const MachineName& network_name(const std::string& name) {
  static std::map<std::string, MachineName> met;
  const auto known = met.find(name);
  if (known != met.end()) return known->second;
  const int nodes = topology::network(name).size();
  return met.emplace(name, MachineName{name, "network of NICs", nodes, nodes}).first->second;
}

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
  if (is_network(name)) return network_name(name);
  std::vector<std::string> legal;
  for (const MachineName& known : machine_names()) {
    if (known.name == name) return known;
    if (known.name == base(name) || base(known.name) == base(name)) legal.push_back(known.name);
  }
  std::vector<std::string> kinds = machine_kinds();
  for (const std::string& network : topology::network_kinds()) kinds.push_back(network);
  if (legal.empty()) throw std::invalid_argument(unknown_name("platform", base(name), kinds));
  const bool bare = name.find(':') == std::string::npos;
  if (bare) return machine_name(legal.front());
  const std::string given = "'" + name.substr(base(name).size() + 1) + "' is given";
  if (legal.front() == base(name))
    throw std::invalid_argument("platform " + base(name) + " takes no arguments, but " + given);
  throw std::invalid_argument("platform " + base(name) + " takes a number of GPUs, but " + given +
                              " (legal: " + join_names(legal) + ")");
}

bool is_network(const std::string& name) {
  const std::vector<std::string> networks = topology::network_kinds();
  return std::find(networks.begin(), networks.end(), base(name)) != networks.end();
}

std::vector<std::string> machine_kinds() {
  std::vector<std::string> kinds;
  for (const Row& row : table()) kinds.emplace_back(row.name);
  return kinds;
}

bool has_parameter(const std::string& platform, const std::string& path) {
  const bool of_network = path.rfind("network.", 0) == 0;
  return path.rfind("watchdog.", 0) == 0 || of_network == is_network(platform);
}

Machine machine(const std::string& name) {
  const std::string wanted = base(machine_name(name).name);
  for (const Row& row : table())
    if (wanted == row.name) return {row.name, row.about, row.graph(), row.shape, row.defaults};
  throw std::invalid_argument("platform '" + name + "' has no netlist");
}

}  // namespace tributary
