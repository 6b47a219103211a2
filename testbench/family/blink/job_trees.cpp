#include "testbench/family/blink/job_trees.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "platforms/topology/allocation.h"
#include "testbench/collective/packing/hybrid_split.h"
#include "testbench/collective/packing/three_phases.h"
#include "testbench/family/blink/nvlink_packing.h"

namespace tributary {
namespace {

using collective::ServerTrees;
using collective::WeightedTree;

using topology::ServerPart;

/// Returns the index of the collective's root in its server, or 0 in any other server.
int root_of(const JobSpec& job, const ServerPart& part) {
  const auto root = std::find(part.ranks.begin(), part.ranks.end(), job.root);
  return root == part.ranks.end() ? 0 : static_cast<int>(root - part.ranks.begin());
}

/// Renames node i of the trees to `number[i]`.
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

std::vector<WeightedTree> pcie_trees(const TreeAlgorithm& algorithm, const ServerPart& part, int root,
                                     const topology::Server& server) {
  const std::vector<int> order = topology::pcie_order(server, part.gpus);
  const int ranks = static_cast<int>(order.size());
  const auto first = static_cast<int>(std::find(order.begin(), order.end(), root) - order.begin());
  return renumbered(algorithm.rooted ? collective::chain_from(ranks, first) : collective::chain_from_middle(ranks), order);
}

/// Roots undirected trees near different NICs, so that the NICs share the traffic to other servers. Each tree, the heaviest
/// first, gets the root whose NIC carries the least so far; ties go to the root nearest to its NIC, then to the lowest tree.
void share_nics(ServerTrees& server, const ServerPart& part, const topology::ServerGraph& servers, int first_gpu) {
  std::vector<topology::ServerGraph::NicPath> nic;
  for (const int gpu : part.gpus) nic.push_back(servers.nic_of(first_gpu + gpu));
  std::map<int, std::int64_t> carried;
  std::stable_sort(server.trees.begin(), server.trees.end(),
                   [](const WeightedTree& a, const WeightedTree& b) { return a.units > b.units; });
  for (WeightedTree& weighted : server.trees) {
    const auto burden = [&](int root) {
      const int height = collective::rerooted(weighted.tree, root).height();
      return std::tuple(carried[nic[at(root)].node], nic[at(root)].links, height);
    };
    int best = 0;
    for (int root = 1; root < static_cast<int>(nic.size()); ++root)
      if (burden(root) < burden(best)) best = root;
    carried[nic[at(best)].node] += weighted.units;
    weighted.tree = collective::rerooted(weighted.tree, best);
  }
}

/// Returns the automatic value of treegen.prefer. Each level of a tree costs a chunk of an all-reduce two waits. On several
/// servers each tree costs hops between servers.
TreePreference preference(const TreeAlgorithm& algorithm, std::size_t servers) {
  const bool levels = servers == 1 && algorithm.use == collective::TreeUse::allreduce;
  return levels ? TreePreference::shallow : TreePreference::fewest;
}

ServerTrees lone(const ServerPart& part) {
  WeightedTree tree;
  tree.tree = collective::path_tree(1, 0);
  return {{tree}, part.ranks, 1};
}

JobTrees through_servers(const TreeAlgorithm& algorithm, const JobSpec& job, const ServerWires& wires,
                         const std::map<int, ServerPart>& parts, const CodegenParams& params, collective::KeptTrees& kept) {
  const topology::ServerGraph& servers = wires.servers();
  std::vector<ServerTrees> made;
  std::vector<int> islands(job.ranks.size(), 0);
  std::optional<int> root_server;
  bool any_nvlink = false, joined = true;
  for (const auto& [server, part] : parts) {
    if (algorithm.rooted && servers.server_of(job.ranks[at(job.root)]) == server)
      root_server = static_cast<int>(made.size());
    const int root = root_of(job, part), first_gpu = server * servers.server().gpus();
    if (part.gpus.size() == 1) {
      made.push_back(lone(part));
      if (servers.nics() > 1 && !algorithm.rooted) share_nics(made.back(), part, servers, first_gpu);
      continue;
    }
    const PackedTrees packed = packed_trees({algorithm, part, root, first_gpu, false}, wires, params, kept);
    ServerTrees trees{packed.trees, part.ranks, packed.rate};
    joined = joined && packed.joined();
    any_nvlink = any_nvlink || !trees.trees.empty();
    if (trees.trees.empty())
      trees = {pcie_trees(algorithm, part, root, servers.server()), part.ranks, 1};
    else if (servers.nics() > 1 && !algorithm.rooted)
      share_nics(trees, part, servers, first_gpu);
    for (std::size_t i = 0; i < part.ranks.size(); ++i) islands[at(part.ranks[i])] = packed.islands[i];
    made.push_back(std::move(trees));
  }
  JobTrees trees;
  const bool lone_gpus = parts.size() == job.ranks.size();
  (any_nvlink || lone_gpus ? trees.nvlink : trees.pcie) = collective::three_phase_trees(made, root_server);
  if (any_nvlink && !joined) trees.islands = islands;
  return trees;
}

}  // namespace

void check_trees(const TreeAlgorithm& algorithm, const JobSpec& job, const topology::ServerGraph& servers,
                 const CodegenParams& params) {
  if (topology::parts_of(job.ranks, servers.server().gpus()).size() > 1 && (algorithm.hybrid || !params.trees.trees.empty()))
    throw collective::ScheduleError(std::string(algorithm.hybrid ? algorithm.algorithm.name : "blink.trees") +
                                    " needs GPUs of one server (legal: ranks of one server)");
}

JobTrees trees_of(const TreeAlgorithm& algorithm, const JobSpec& job, const ServerWires& wires, const CodegenParams& given,
                  collective::KeptTrees& kept) {
  const topology::ServerGraph& servers = wires.servers();
  check_trees(algorithm, job, servers, given);
  const std::map<int, ServerPart> parts = topology::parts_of(job.ranks, servers.server().gpus());
  CodegenParams params = given;
  if (!params.treegen.prefer) params.treegen.prefer = preference(algorithm, parts.size());
  if (parts.size() > 1) return through_servers(algorithm, job, wires, parts, params, kept);
  const ServerPart& part = parts.begin()->second;
  const int root = root_of(job, part);
  const int first_gpu = parts.begin()->first * servers.server().gpus();
  PackedTrees packed = packed_trees({algorithm, part, root, first_gpu, true}, wires, params, kept);
  JobTrees trees;
  trees.nvlink = std::move(packed.trees), trees.rate = packed.rate, trees.from_roots = packed.from_roots;
  if (!packed.joined() && !trees.nvlink.empty()) trees.islands = std::move(packed.islands);
  if ((algorithm.hybrid && trees.islands.empty()) || trees.nvlink.empty())
    trees.pcie = pcie_trees(algorithm, part, root, servers.server());
  return trees;
}

collective::HybridSplit split_of(const JobTrees& trees, const TreeAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                 const ServerWires& wires, const HybridParams& hybrid) {
  collective::HybridSplit split;
  if (!trees.splits() || !algorithm.hybrid) {
    (trees.nvlink.empty() || !trees.islands.empty() ? split.pcie_bytes : split.nvlink_bytes) = message.value;
    return split;
  }
  std::vector<int> gpus;  // in the order of the chain over PCIe
  const topology::Server& server = wires.servers().server();
  for (const int place : topology::pcie_order(server, topology::parts_of(job.ranks, server.gpus()).begin()->second.gpus))
    gpus.push_back(job.ranks[at(place)]);
  Bandwidth on_pcie = wires.payload_rate(gpus[0], gpus[1], CopyPath::pcie);
  for (std::size_t i = 1; i < gpus.size(); ++i)
    on_pcie = std::min(on_pcie, wires.payload_rate(gpus[i - 1], gpus[i], CopyPath::pcie));
  const double link = static_cast<double>(wires.payload_rate(gpus[0], gpus[1], CopyPath::nvlink).value);
  const Bandwidth on_nvlink = bytes_per_second(static_cast<std::uint64_t>(link * trees.rate));
  const Time peer_switch = picoseconds(wires.params().gpu.host.peer_switch.value * gpus.size());
  return collective::hybrid_split(message, hybrid.nvlink_rate.value_or(on_nvlink), hybrid.pcie_rate.value_or(on_pcie),
                                  peer_switch);
}

std::vector<StreamTree> on_routes(const JobTrees& trees, const TreeAlgorithm& algorithm, const JobSpec& job, Bytes message,
                                  const ServerWires& wires, const CodegenParams& params) {
  if (trees.nvlink.empty()) return on_path(trees.pcie, CopyPath::pcie);
  if (!algorithm.hybrid || !trees.splits()) return on_path(trees.nvlink, CopyPath::nvlink);
  const collective::HybridSplit split = split_of(trees, algorithm, job, message, wires, params.hybrid);
  return stream_trees(collective::hybrid_trees(split, trees.nvlink, trees.pcie));
}

std::vector<StreamTree> stream_trees(const collective::HybridTrees& hybrid) {
  std::vector<StreamTree> all = on_path(hybrid.nvlink, CopyPath::nvlink);
  for (StreamTree& tree : on_path(hybrid.pcie, CopyPath::pcie)) all.push_back(std::move(tree));
  return all;
}

}  // namespace tributary
