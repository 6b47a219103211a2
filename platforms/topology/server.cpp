#include "platforms/topology/server.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/dgx1.h"
#include "platforms/topology/graph.h"

namespace tributary::topology {
namespace {

struct Row {
  ServerForm form;
  Server (*make)();
};

/// The one table of the servers: lists, help and messages are made from it.
const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{"dgx1p", "DGX-1 with 8 P100, 4 NVLinks each"}, dgx1p},
      {{"dgx1v", "DGX-1 with 8 V100, 6 NVLinks each"}, dgx1v},
  };
  return rows;
}

[[noreturn]] void refuse(const Server& server, const std::string& what) {
  throw TopologyError("server " + server.name + ": " + what);
}

std::string pair_text(std::size_t a, std::size_t b) { return "GPUs " + std::to_string(a) + " and " + std::to_string(b); }

void check_places(const Server& server, const std::vector<int>& places, const char* what) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] < 0 || places[i] >= static_cast<int>(server.pcie.size()))
      refuse(server, what + std::to_string(i) + " is on PCIe node " + std::to_string(places[i]) + ", which does not exist");
}

}  // namespace

int Server::socket_of(int node) const {
  while (pcie.at(static_cast<std::size_t>(node)).parent >= 0) node = pcie[static_cast<std::size_t>(node)].parent;
  return node;
}

void check(const Server& server) {
  const std::size_t n = server.links.size();
  for (std::size_t a = 0; a < n; ++a) {
    if (server.links[a].size() != n) refuse(server, "the table of links is not square");
    for (std::size_t b = 0; b < n; ++b)
      if (server.links[a][b] < 0) refuse(server, pair_text(a, b) + " have a negative number of links");
    if (server.links[a][a] != 0) refuse(server, "GPU " + std::to_string(a) + " has a link to itself");
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (server.links[a][b] != server.links[b][a]) refuse(server, pair_text(b, a) + " count their links differently");
  for (std::size_t i = 0; i < server.pcie.size(); ++i)
    if (server.pcie[i].parent < -1 || server.pcie[i].parent >= static_cast<int>(i))
      refuse(server, "PCIe node " + std::to_string(i) + " does not stand behind its parent");
  if (server.gpu_on.size() != n) refuse(server, "not every GPU has a PCIe node");
  check_places(server, server.gpu_on, "GPU ");
  check_places(server, server.nic_on, "NIC ");
}

const std::vector<ServerForm>& server_forms() {
  static const std::vector<ServerForm> forms = [] {
    std::vector<ServerForm> all;
    for (const Row& row : table()) all.push_back(row.form);
    return all;
  }();
  return forms;
}

Server server(const std::string& name) {
  std::vector<std::string> names;
  for (const Row& row : table()) {
    if (row.form.name == name) return row.make();
    names.push_back(row.form.name);
  }
  throw std::invalid_argument(unknown_name("server", name, names));
}

}  // namespace tributary::topology
