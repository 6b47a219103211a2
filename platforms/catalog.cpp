#include "platforms/catalog.h"

#include <stdexcept>

#include "platforms/topology/dgx2.h"

namespace tributary {
namespace {

struct Row {
  const char* name;
  const char* about;
  topology::Graph (*graph)();
  FabricMap::Shape shape;  // planes, switches of a plane, home ports of a switch, trunks
};

const Row table[] = {
    {"dgx2", "16 GPUs, 12 NVSwitches in 6 planes", topology::dgx2, {6, 2, 16, 8}},
};

}  // namespace

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Row& row : table) names.push_back(row.name);
  return names;
}

Machine machine(const std::string& name) {
  for (const Row& row : table)
    if (name == row.name) return {row.name, row.about, row.graph(), row.shape};
  throw std::invalid_argument("unknown platform '" + name + "'");
}

}  // namespace tributary
