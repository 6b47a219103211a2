#include "platforms/topology/network.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/indirect.h"

namespace tributary::topology {
namespace {

constexpr int most_nodes = 1024;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw std::invalid_argument(what + " (legal: " + legal + ")");
}

/// All of the text is one number from 1 to most_nodes, or 0 is returned.
int number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= most_nodes ? std::max(value, 0) : 0;
}

struct Pair {
  int first = 0, second = 0;
};

/// `8x16`
Pair pair(const std::string& name, const std::string& arguments, const std::string& legal) {
  const auto x = arguments.find('x');
  const Pair p = x == std::string::npos ? Pair{} : Pair{number(arguments.substr(0, x)), number(arguments.substr(x + 1))};
  if (p.first == 0 || p.second == 0) refuse("topology " + name + ": '" + arguments + "' is given", legal);
  return p;
}

Network grid_network(const std::string& base, const std::string& arguments, ParallelLinks links) {
  const std::string legal = "AxB rows and columns, 2 to " + std::to_string(most_nodes) + " nodes";
  const Pair size = pair(base, arguments, legal);
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

Network fat_tree_network(const std::string& arguments) {
  if (arguments != "16" && arguments != "64")
    refuse("topology fat_tree_2level: '" + arguments + "' is given", "fat_tree_2level:16 or fat_tree_2level:64");
  Graph graph = arguments == "16" ? dgx2_plane() : two_level_fat_tree(8, 8, 8);
  return {"fat_tree_2level:" + arguments, std::move(graph), {}, {}, in_order(number(arguments))};
}

/// The ring changes between upper and lower at each switch: so every crossing has a link of its own.
Network bigraph_network(const std::string& arguments) {
  const std::string legal = "MxN, M nodes on each of N switches, N even, at most " + std::to_string(most_nodes) + " nodes";
  const Pair shape = pair("bigraph", arguments, legal);
  const int nics = shape.first, switches = shape.second;
  if (switches % 2 != 0 || nics * switches > most_nodes) refuse("topology bigraph: '" + arguments + "' is given", legal);
  Network network{"bigraph:" + arguments, bigraph(nics, switches), {}, BiGraphShape{nics, switches}, {}};
  for (int s = 0; s < switches; ++s)
    for (int k = 0; k < nics; ++k) network.ring.push_back((s / 2 + s % 2 * (switches / 2)) * nics + k);
  return network;
}

}  // namespace

const std::vector<std::string>& network_forms() {
  static const std::vector<std::string> forms{"torus:AxB", "mesh:AxB", "fat_tree_2level:16", "fat_tree_2level:64",
                                              "bigraph:MxN"};
  return forms;
}

Network network(const std::string& name, ParallelLinks links) {
  const auto colon = name.find(':');
  const std::string base = name.substr(0, colon), arguments = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (base == "torus" || base == "mesh") return grid_network(base, arguments, links);
  if (links.x != 1 || links.y != 1) refuse("topology " + name + " has no X and Y links", "a torus or mesh");
  if (base == "fat_tree_2level") return fat_tree_network(arguments);
  if (base == "bigraph") return bigraph_network(arguments);
  refuse(unknown_name("topology", base, {"torus", "mesh", "fat_tree_2level", "bigraph"}, false),
         join_names(network_forms()));
}

PacketRoutes::PacketRoutes(const Network& network) : network_(network) {
  if (!network.direct()) shortest_.emplace(network.graph);
}

std::vector<End> PacketRoutes::route(int from, int to) const {
  if (network_.grid) return network_.grid->route(from, to);
  std::vector<End> path;
  for (int at = from; at != to; at = network_.graph.peer(path.back())->node)
    path.push_back({at, shortest_->port(at, to, static_cast<unsigned>(to))});
  return path;
}

}  // namespace tributary::topology
