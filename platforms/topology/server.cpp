#include "platforms/topology/server.h"

#include <cmath>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/dgx1.h"
#include "platforms/topology/graph.h"
#include "platforms/topology/hgx.h"
#include "platforms/topology/server_graph.h"

namespace tributary::topology {
namespace {

struct Row {
  ServerForm form;
  Server (*make)();
};

/// The only table of servers; lists, help and messages are generated from it.
const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{"dgx1p", "DGX-1 with 8 P100, 4 NVLinks each", 8}, dgx1p},
      {{"dgx1v", "DGX-1 with 8 V100, 6 NVLinks each", 8}, dgx1v},
      {{"a100", "8 A100, 12 NVLinks each to 6 NVSwitches, 8 NICs", 8, true}, a100},
      {{"h100", "8 H100, 18 NVLinks each to 4 NVSwitches, 8 NICs", 8, true}, h100},
      {{"h200", "8 H200, 18 NVLinks each to 4 NVSwitches, 8 NICs", 8, true}, h200},
      {{"b200", "8 B200, 18 NVLinks each to 2 NVSwitches, 8 NICs", 8, true}, b200},
      {{"gb200", "4 B200 of a GB200 NVL4, 6 NVLinks to each other, 4 NICs", 4}, gb200},
      {{"nvl72", "72 B200 of a GB200 NVL72, 18 NVLinks each to 18 NVSwitches, 72 NICs", 72, true}, nvl72},
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

void check_details(const Server& server) {
  const auto as_many = [&](std::size_t count, std::size_t devices, const char* what) {
    if (count != 0 && count != devices) refuse(server, std::string("not every ") + what);
  };
  as_many(server.switch_links.size(), server.links.size(), "GPU has links to NVSwitches or none");
  as_many(server.gpu_up.size(), server.gpu_on.size(), "GPU has a PCIe link");
  as_many(server.nic_up.size(), server.nic_on.size(), "NIC has a PCIe link");
  as_many(server.nic_rate.size(), server.nic_on.size(), "NIC has a rate");
  for (const std::vector<int>& row : server.switch_links) {
    if (row.size() != server.switch_links.front().size()) refuse(server, "GPUs differ in the number of NVSwitches");
    for (const int count : row)
      if (count < 0) refuse(server, "a negative number of links to an NVSwitch");
  }
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
      refuse(server, "PCIe node " + std::to_string(i) + " precedes its parent");
  if (server.gpu_on.size() != n) refuse(server, "not every GPU has a PCIe node");
  check_places(server, server.gpu_on, "GPU ");
  check_places(server, server.nic_on, "NIC ");
  check_details(server);
}

std::uint64_t pcie_rate(const PcieLink& link) {
  if (link.rate != 0) return link.rate;
  const double coding = link.speed <= 5 ? 8.0 / 10 : link.speed <= 32 ? 128.0 / 130 : 242.0 / 256;
  return static_cast<std::uint64_t>(std::llround(link.speed * 1e9 / 8 * coding * link.width));
}

const std::vector<ServerForm>& server_forms() {
  static const std::vector<ServerForm> forms = [] {
    std::vector<ServerForm> all;
    for (const Row& row : table()) all.push_back(row.form);
    return all;
  }();
  return forms;
}

bool is_server(const PlatformDescription& platform) {
  for (const Row& row : table())
    if (row.form.name == platform.name()) return true;
  return platform.file_server() != nullptr && server_names(platform.name()).count == 1;
}

Server server(const PlatformDescription& platform) {
  const std::string& name = platform.name();
  if (platform.file_server() != nullptr && server_names(name).count == 1) return *platform.file_server();
  std::vector<std::string> names;
  for (const Row& row : table()) {
    if (row.form.name == name) return row.make();
    names.push_back(row.form.name);
  }
  for (const ServerForm& form : server_file_forms()) names.push_back(form.name);
  throw std::invalid_argument(unknown_name("server", name, names));
}

}  // namespace tributary::topology
