#include "testbench/family/blink/job_trees.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "modules/base/index.h"
#include "platforms/topology/allocation.h"
#include "testbench/collective/stream/hybrid_split.h"
#include "testbench/collective/stream/three_phases.h"

namespace tributary {
namespace {

using collective::ServerTrees;
using collective::WeightedTree;

/// GPUs of one server, by their numbers in it, and the ranks that they are.
struct Part {
  std::vector<int> gpus, ranks;
  int root = 0;  ///< place of the collective's root, or the first
};

std::map<int, Part> parts_of(const JobSpec& job, const topology::ServerGraph& servers) {
  std::map<int, Part> parts;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    Part& part = parts[servers.server_of(job.ranks[r])];
    if (static_cast<int>(r) == job.root) part.root = static_cast<int>(part.gpus.size());
    part.gpus.push_back(servers.local(job.ranks[r]));
    part.ranks.push_back(static_cast<int>(r));
  }
  return parts;
}

/// Places of a part in the order of their PCIe addresses.
std::vector<int> pcie_order(const Part& part) {
  std::vector<int> places(part.gpus.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [&](int a, int b) { return part.gpus[at(a)] < part.gpus[at(b)]; });
  return places;
}

/// Node i of the trees becomes `number[i]`.
std::vector<WeightedTree> renumbered(std::vector<WeightedTree> trees, const std::vector<int>& number) {
  for (WeightedTree& weighted : trees) {
    collective::Tree moved = weighted.tree;
    for (std::size_t node = 0; node < number.size(); ++node) {
      const int parent = weighted.tree.parent[node];
      moved.parent[at(number[node])] = parent < 0 ? parent : number[at(parent)];
      std::vector<int>& children = moved.children[at(number[node])] = weighted.tree.children[node];
      for (int& child : children) child = number[at(child)];
    }
    weighted.tree = std::move(moved);
  }
  return trees;
}

std::vector<WeightedTree> pcie_trees(const TreeMethod& method, const Part& part) {
  const std::vector<int> order = pcie_order(part);
  const int ranks = static_cast<int>(order.size());
  const auto root = std::find(order.begin(), order.end(), part.root) - order.begin();
  return renumbered(
      method.rooted ? collective::chain_from(ranks, static_cast<int>(root)) : collective::chain_from_middle(ranks), order);
}

ServerTrees nvlink_trees(const TreeMethod& method, const Part& part, const topology::ServerGraph& servers,
                         const TreegenParams& params) {
  const topology::Allocation allocation = topology::allocation(servers.server(), part.gpus);
  if (!connected(allocation)) return {};
  const collective::GeneratedTrees made = method.generate(allocation, part.root, {params.epsilon, params.threshold});
  return {collective::weighted_trees(made.graph, made.packing, method.rooted), part.ranks, made.packing.rate().value()};
}

ServerTrees lone(const Part& part) {
  WeightedTree tree;
  tree.tree = collective::path_tree(1, 0);
  return {{tree}, part.ranks, 1};
}

JobTrees through_servers(const TreeMethod& method, const JobSpec& job, const topology::ServerGraph& servers,
                         const std::map<int, Part>& parts, const CodegenParams& params) {
  std::vector<ServerTrees> nvlink, pcie;
  std::optional<int> root_server;
  bool joined = true;
  for (const auto& [server, part] : parts) {
    if (method.rooted && servers.server_of(job.ranks[at(job.root)]) == server) root_server = static_cast<int>(nvlink.size());
    const bool alone = part.gpus.size() == 1;
    nvlink.push_back(alone ? lone(part) : nvlink_trees(method, part, servers, params.treegen));
    pcie.push_back(alone ? lone(part) : ServerTrees{pcie_trees(method, part), part.ranks, 1});
    joined = joined && !nvlink.back().trees.empty();
  }
  JobTrees trees;
  (joined ? trees.nvlink : trees.pcie) = collective::three_phase_trees(joined ? nvlink : pcie, root_server);
  return trees;
}

}  // namespace

JobTrees trees_of(const TreeMethod& method, const JobSpec& job, const topology::ServerGraph& servers,
                  const CodegenParams& params) {
  const std::map<int, Part> parts = parts_of(job, servers);
  if (parts.size() > 1) {
    if (method.hybrid || !params.trees.trees.empty())
      throw collective::ScheduleError(std::string(method.hybrid ? method.method.name : "blink.trees") +
                                      " takes GPUs of one server (legal: ranks of one server)");
    return through_servers(method, job, servers, parts, params);
  }
  const Part& part = parts.begin()->second;
  JobTrees trees;
  if (params.trees.trees.empty()) {
    const ServerTrees made = nvlink_trees(method, part, servers, params.treegen);
    trees.nvlink = made.trees, trees.rate = made.rate;
  } else {
    trees.nvlink =
        weighted_trees(params.trees, topology::allocation(servers.server(), part.gpus), method.rooted ? job.root : -1);
    trees.rate = 1;
  }
  if (method.hybrid || trees.nvlink.empty()) trees.pcie = pcie_trees(method, part);
  return trees;
}

std::vector<StreamTree> on_ways(const JobTrees& trees, const TreeMethod& method, const JobSpec& job, Bytes message,
                                const ServerWires& wires, const CodegenParams& params) {
  if (trees.nvlink.empty()) return on_path(trees.pcie, CopyPath::pcie);
  if (!method.hybrid) return on_path(trees.nvlink, CopyPath::nvlink);
  std::vector<int> gpus = job.ranks;
  std::sort(gpus.begin(), gpus.end());
  Bandwidth on_pcie = wires.payload_rate(gpus[0], gpus[1], CopyPath::pcie);
  for (std::size_t i = 1; i < gpus.size(); ++i)
    on_pcie = std::min(on_pcie, wires.payload_rate(gpus[i - 1], gpus[i], CopyPath::pcie));
  const double link = static_cast<double>(wires.payload_rate(gpus[0], gpus[1], CopyPath::nvlink).value);
  const Bandwidth on_nvlink = bytes_per_second(static_cast<std::uint64_t>(link * trees.rate));
  const HybridParams& hybrid = params.hybrid;
  const Time peer_switch = picoseconds(wires.params().gpu.host.peer_switch.value * gpus.size());
  const collective::HybridSplit split = collective::hybrid_split(message, hybrid.nvlink_rate.value_or(on_nvlink),
                                                                 hybrid.pcie_rate.value_or(on_pcie), peer_switch);
  const collective::HybridTrees both = collective::hybrid_trees(split, trees.nvlink, trees.pcie);
  std::vector<StreamTree> all = on_path(both.nvlink, CopyPath::nvlink);
  for (StreamTree& tree : on_path(both.pcie, CopyPath::pcie)) all.push_back(std::move(tree));
  return all;
}

}  // namespace tributary
