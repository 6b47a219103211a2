#include "testbench/family/cluster/flows/cluster_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "testbench/collective/tree/tree.h"

namespace tributary {
namespace {

constexpr double packet_bytes = 9 * 16;

std::vector<int> depths(const collective::Tree& tree) {
  std::vector<int> depth(tree.parent.size(), 0);
  for (std::size_t r = 0; r < depth.size(); ++r)
    for (int at = tree.parent[r]; at >= 0; at = tree.parent[static_cast<std::size_t>(at)]) ++depth[r];
  return depth;
}

/// Adds the places of a group in its servers.
void add_places(const ClusterModel& model, const collective::GroupShape& shape, ClusterGroup& group) {
  for (std::size_t j = 0; j < shape.local.size(); ++j) {
    const auto gpu = static_cast<std::size_t>(shape.local[j]);
    const auto next = static_cast<std::size_t>(shape.local[(j + 1) % shape.local.size()]);
    ++group.boards[model.server.board.at(gpu)];
    group.crossings += model.server.board[gpu] != model.server.board.at(next);
  }
}

std::string ranks_text(int nic, int ranks) {
  return "nic" + std::to_string(nic) + " serves " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
         " of a server";
}

std::string notes_text(const ClusterServer& server) {
  std::string text;
  for (const std::string& note : server.notes) text += "; " + note;
  return text;
}

void check_even(const ClusterModel& model, const collective::GroupShape& shape) {
  if (const std::string refusal = uneven_nics(model.server, shape); !refusal.empty()) throw std::invalid_argument(refusal);
}

}  // namespace

std::string uneven_nics(const ClusterServer& server, const collective::GroupShape& shape) {
  std::map<int, int> users;  // ranks of a server by NIC
  for (const int gpu : shape.local) ++users[server.nic_of.at(static_cast<std::size_t>(gpu))];
  for (const auto& [nic, gpus] : users)
    if (gpus != users.begin()->second)
      return ranks_text(nic, gpus) + ", but " + ranks_text(users.begin()->first, users.begin()->second) +
             notes_text(server) +
             " (legal: as many ranks at each NIC, by --ranks or --set cluster.nics=" + std::to_string(server.gpus) + ")";
  return "";
}

double ClusterModel::packet() const { return 1e12 * packet_bytes / server.nvlink_rate; }

double ClusterModel::route(bool far) const {
  const int switches = far ? 2 : 1;
  return (switches + 1) * link_latency + switches * switch_latency + packet();
}

double ClusterModel::rail_latency() const { return 1e12 * (flow.send + 2 * flow.cable + flow.switching + flow.receive); }

double ClusterModel::burst(double bytes) const {
  constexpr double calibrated = 64;
  const auto on_pcie = [this](double payload) { return payload + std::ceil(payload / pcie_payload) * pcie_overhead; };
  const double beyond = on_pcie(std::min<double>(bytes, flow.payload)) - on_pcie(calibrated);
  return 1e12 * std::max(0.0, beyond) / pcie_rate;
}

double ClusterModel::acknowledged_latency() const {
  return 1e12 * (flow.send + 2 * (2 * flow.cable + flow.switching)) + completion;
}

double ClusterModel::rail_rate() const {
  return std::min(flow.inter_rate, pcie_rate * pcie_payload / (pcie_payload + pcie_overhead));
}

double ClusterModel::spine_latency() const { return 1e12 * 2 * (flow.uplink + flow.switching); }

ClusterGroup group_of(const ClusterModel& model, const std::vector<collective::GroupShape>& groups, RailPlaces places) {
  ClusterGroup group;
  group.shape = groups.front();
  group.shape.groups = static_cast<int>(groups.size());
  group.each = groups, group.places = places;
  add_places(model, group.shape, group);
  std::set<int> rails;
  for (const int gpu : group.shape.local) rails.insert(model.server.nic_of.at(static_cast<std::size_t>(gpu)));
  group.rails = static_cast<double>(rails.size());
  for (int i = 0; i < group.shape.servers; ++i) group.rack.push_back(model.rack_of(group.shape.server(i)));
  for (const collective::GroupShape& shape : groups) {
    ClusterGroup other;
    add_places(model, shape, other);
    if (shape.servers != group.shape.servers || shape.ranks_each != group.shape.ranks_each ||
        other.boards[0] != group.boards[0] || other.crossings != group.crossings)
      throw std::invalid_argument("groups of unlike shapes");
    if (shape.servers > 1 && places.from == RailPlaces::all) check_even(model, shape);
  }
  return group;
}

std::size_t TreeClasses::classes() const {
  return class_of.empty() ? 1 : *std::max_element(class_of.begin(), class_of.end()) + 1;
}

TreeClasses tree_classes(const std::vector<int>& rack) {
  const std::size_t servers = rack.size();
  const std::vector<collective::Tree> trees = collective::double_binary_trees(static_cast<int>(servers));
  std::vector<std::vector<int>> depth;
  for (const collective::Tree& tree : trees) depth.push_back(depths(tree));
  using Kind = std::vector<std::size_t>;  // depth and number of children in each tree
  std::map<Kind, std::size_t> number;
  TreeClasses classes;
  for (std::size_t r = 0; r < servers; ++r) {
    Kind kind;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      kind.push_back(static_cast<std::size_t>(depth[t][r]));
      kind.push_back(trees[t].children[r].size());
      classes.depth = std::max(classes.depth, depth[t][r]);
    }
    classes.class_of.push_back(number.emplace(kind, number.size()).first->second);
  }
  std::map<std::tuple<int, int, std::size_t, std::size_t>, std::pair<int, int>> edges;  // number, number between racks
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t r = 0; r < servers; ++r) {
      if (trees[t].parent[r] < 0) continue;
      const auto parent = static_cast<std::size_t>(trees[t].parent[r]);
      auto& [count, between] = edges[{static_cast<int>(t), depth[t][r], classes.class_of[r], classes.class_of[parent]}];
      ++count, between += rack[r] != rack[parent];
    }
  for (const auto& [e, count] : edges)
    classes.edges.push_back({std::get<0>(e), std::get<1>(e), std::get<2>(e), std::get<3>(e), count.first, count.second});
  return classes;
}

}  // namespace tributary
