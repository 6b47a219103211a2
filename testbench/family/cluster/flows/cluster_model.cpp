#include "testbench/family/cluster/flows/cluster_model.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

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

}  // namespace

double ClusterModel::packet() const { return 1e12 * packet_bytes / server.nvlink_rate; }

double ClusterModel::route(bool far) const {
  const int switches = far ? 2 : 1;
  return (switches + 1) * link_latency + switches * switch_latency + packet();
}

double ClusterModel::rail_latency() const { return 1e12 * (flow.send + 2 * flow.cable + flow.switching + flow.receive); }

ClusterGroup group_of(const ClusterModel& model, const collective::GroupShape& shape) {
  ClusterGroup group;
  group.shape = shape;
  std::map<int, int> users;
  for (std::size_t j = 0; j < shape.local.size(); ++j) {
    const auto gpu = static_cast<std::size_t>(shape.local[j]);
    const auto next = static_cast<std::size_t>(shape.local[(j + 1) % shape.local.size()]);
    ++users[model.server.nic_of.at(gpu)];
    ++group.boards[model.server.board[gpu]];
    group.crossings += model.server.board[gpu] != model.server.board.at(next);
  }
  group.nics = static_cast<int>(users.size());
  for (const auto& [nic, gpus] : users)
    if (shape.servers > 1 && gpus != users.begin()->second)
      throw std::invalid_argument("nic" + std::to_string(nic) + " serves " + std::to_string(gpus) +
                                  " ranks of a server, and nic" + std::to_string(users.begin()->first) + " " +
                                  std::to_string(users.begin()->second) + " (legal: as many ranks at each NIC)");
  return group;
}

TreeClasses tree_classes(int servers) {
  const std::vector<collective::Tree> trees = collective::double_binary_trees(servers);
  std::vector<std::vector<int>> depth;
  for (const collective::Tree& tree : trees) depth.push_back(depths(tree));
  using Kind = std::vector<std::size_t>;  // depth and number of children in each tree
  std::map<Kind, int> number;
  TreeClasses classes;
  std::vector<int> class_of;
  for (std::size_t r = 0; r < static_cast<std::size_t>(servers); ++r) {
    Kind kind;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      kind.push_back(static_cast<std::size_t>(depth[t][r]));
      kind.push_back(trees[t].children[r].size());
      classes.depth = std::max(classes.depth, depth[t][r]);
    }
    const auto [found, added] = number.emplace(kind, static_cast<int>(classes.servers.size()));
    if (added) classes.servers.push_back(0);
    ++classes.servers[static_cast<std::size_t>(found->second)];
    class_of.push_back(found->second);
  }
  std::map<std::tuple<int, int, int, int>, int> edges;
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t r = 0; r < class_of.size(); ++r)
      if (trees[t].parent[r] >= 0)
        ++edges[{static_cast<int>(t), depth[t][r], class_of[r], class_of[static_cast<std::size_t>(trees[t].parent[r])]}];
  for (const auto& [e, count] : edges)
    classes.edges.push_back({std::get<0>(e), std::get<1>(e), std::get<2>(e), std::get<3>(e), count});
  return classes;
}

}  // namespace tributary
