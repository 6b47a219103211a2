#include "platforms/topology/network.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/files/anynet.h"
#include "platforms/topology/indirect.h"

namespace tributary::topology {
namespace {

constexpr int most_nodes = 1024;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw std::invalid_argument(what + " (legal: " + legal + ")");
}

/// Parses a text that is one number from 1 to most_nodes; returns 0 otherwise.
int number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= most_nodes ? std::max(value, 0) : 0;
}

Network file_network(const PlatformDescription& platform) {
  if (platform.file_network() == nullptr) refuse(platform.path() + ": a server", "a network of routers");
  return platform.file_network()->network;
}

struct Pair {
  int first = 0, second = 0;
};

/// Parses a pair such as `8x16`.
Pair pair(const std::string& name, const std::string& arguments, const std::string& legal) {
  const auto x = arguments.find('x');
  const Pair p = x == std::string::npos ? Pair{} : Pair{number(arguments.substr(0, x)), number(arguments.substr(x + 1))};
  if (p.first == 0 || p.second == 0) refuse("topology " + name + ": '" + arguments + "' is given", legal);
  return p;
}

Network grid_network(const std::string& base, const std::string& arguments, ParallelLinks links) {
  const std::string legal = "AxB rows and columns, 2 to " + std::to_string(most_nodes) + " nodes";
  const auto colon = arguments.find(':');
  const Pair size = pair(base, arguments.substr(0, colon), legal);
  if (colon != std::string::npos) {
    const std::string legal_links = "AxB:YxX, Y and X links between neighbours, 1 to 8";
    if (links.x != 1 || links.y != 1) refuse("parallel links of a grid are given twice", legal_links);
    const Pair parallel = pair(base, arguments.substr(colon + 1), legal_links);
    links = {parallel.second, parallel.first};
  }
  const Grid grid{size.first, size.second, base == "torus", links.y, links.x};
  if (grid.nodes() < 2) refuse("topology " + base + ":" + arguments + " is one node", legal);
  if (grid.nodes() > most_nodes) refuse("topology " + base + ":" + arguments + " is too large", legal);
  if (links.x < 1 || links.y < 1 || links.x > 8 || links.y > 8) refuse("parallel links of a grid", "1 to 8");
  return {base + ":" + arguments, grid.graph(), grid, {}, grid.ring()};
}

std::vector<int> in_order(int nodes) {
  std::vector<int> ring(static_cast<std::size_t>(nodes));
  std::iota(ring.begin(), ring.end(), 0);
  return ring;
}

Network fat_tree_network(const std::string& base, const std::string& arguments, ParallelLinks) {
  std::vector<std::string> legal;
  for (const NetworkForm& form : network_forms())
    if (form.kind == base) legal.push_back(form.name());
  const std::string name = base + ":" + arguments;
  if (std::find(legal.begin(), legal.end(), name) == legal.end())
    refuse("topology " + base + ": '" + arguments + "' is given", join_names(legal));
  Graph graph = arguments == "16" ? dgx2_plane() : two_level_fat_tree(8, 8, 8);
  return {name, std::move(graph), {}, {}, in_order(number(arguments))};
}

/// The ring alternates between upper and lower switches, so that each crossing has its own link.
Network bigraph_network(const std::string& base, const std::string& arguments, ParallelLinks) {
  const std::string legal = "MxN, M nodes on each of N switches, N even, at most " + std::to_string(most_nodes) + " nodes";
  const Pair shape = pair(base, arguments, legal);
  const int nics = shape.first, switches = shape.second;
  if (switches % 2 != 0 || nics * switches > most_nodes)
    refuse("topology " + base + ": '" + arguments + "' is given", legal);
  Network network{base + ":" + arguments, bigraph(nics, switches), {}, BiGraphShape{nics, switches}, {}};
  for (int s = 0; s < switches; ++s)
    for (int k = 0; k < nics; ++k) network.ring.push_back((s / 2 + s % 2 * (switches / 2)) * nics + k);
  return network;
}

struct Row {
  NetworkForm form;
  Network (*make)(const std::string& base, const std::string& arguments, ParallelLinks links);  ///< null: from a file
};

/// The only table of networks; lists, help and messages are generated from it.
const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{"torus", "AxB", "A x B",
        "network of schedule NICs with routers, A rows (2 to 1024 nodes); AxB:YxX has parallel links"},
       grid_network},
      {{"mesh", "AxB", "A x B", "torus without the links that close its rows and columns"}, grid_network},
      {{"fat_tree_2level", "16", "16", "schedule NICs on one plane of a DGX-2: 2 switches, 8 trunks"}, fat_tree_network},
      {{"fat_tree_2level", "64", "64", "schedule NICs, 8 leaves and 8 spines"}, fat_tree_network},
      {{"bigraph", "MxN", "M x N", "M schedule NICs on each of N switches, half of them upper, half lower"},
       bigraph_network},
      {{"file", "FILE", "its nodes",
        "network of routers that a file of BookSim's anynet describes (docs/topology_files.md)"},
       nullptr},
  };
  return rows;
}

}  // namespace

const std::vector<NetworkForm>& network_forms() {
  static const std::vector<NetworkForm> forms = [] {
    std::vector<NetworkForm> all;
    for (const Row& row : table()) all.push_back(row.form);
    return all;
  }();
  return forms;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const NetworkForm& form : network_forms()) names.push_back(form.name());
  return names;
}

std::vector<std::string> network_kinds() {
  std::vector<std::string> kinds;
  for (const NetworkForm& form : network_forms())
    if (kinds.empty() || kinds.back() != form.kind) kinds.push_back(form.kind);
  return kinds;
}

Network network(const PlatformDescription& platform, ParallelLinks links) {
  const std::string& name = platform.name();
  const auto colon = name.find(':');
  const std::string base = name.substr(0, colon), arguments = colon == std::string::npos ? "" : name.substr(colon + 1);
  for (const Row& row : table()) {
    if (row.form.kind != base) continue;
    Network made = row.make != nullptr ? row.make(base, arguments, links) : file_network(platform);
    if (!made.grid && (links.x != 1 || links.y != 1))
      refuse("topology " + name + " has no X and Y links", "a torus or mesh");
    return made;
  }
  refuse(unknown_name("topology", base, network_kinds(), false), join_names(network_names()));
}

PacketRoutes::PacketRoutes(const Network& network) : network_(network) {
  if (!network.direct() && !network.up_down) shortest_.emplace(network.graph);
}

std::vector<PortRef> PacketRoutes::route(int from, int to) const {
  if (network_.grid) return network_.grid->route(from, to);
  std::vector<PortRef> path;
  for (int at = from; at != to; at = network_.graph.peer(path.back())->node) path.push_back({at, port(at, to)});
  return path;
}

int PacketRoutes::port(int from, int to) const {
  if (!network_.up_down) return shortest_->port(from, to, static_cast<unsigned>(to));
  return is_end(network_.graph.node(from).kind) ? 0 : network_.up_down->port(from, to);
}

}  // namespace tributary::topology
