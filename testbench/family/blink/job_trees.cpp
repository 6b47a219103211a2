#include "testbench/family/blink/job_trees.h"

#include <algorithm>
#include <numeric>

#include "platforms/topology/allocation.h"

namespace tributary {
namespace {

using collective::WeightedTree;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The job's ranks in the order of their PCIe addresses.
std::vector<int> pcie_order(const JobSpec& job) {
  std::vector<int> ranks(job.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::sort(ranks.begin(), ranks.end(), [&](int a, int b) { return job.ranks[at(a)] < job.ranks[at(b)]; });
  return ranks;
}

/// Trees over places become trees over ranks: `rank[place]`.
std::vector<WeightedTree> renumbered(std::vector<WeightedTree> trees, const std::vector<int>& rank) {
  for (WeightedTree& weighted : trees) {
    collective::Tree moved = weighted.tree;
    for (std::size_t place = 0; place < rank.size(); ++place) {
      const int parent = weighted.tree.parent[place];
      moved.parent[at(rank[place])] = parent < 0 ? parent : rank[at(parent)];
      std::vector<int>& children = moved.children[at(rank[place])] = weighted.tree.children[place];
      for (int& child : children) child = rank[at(child)];
    }
    weighted.tree = std::move(moved);
  }
  return trees;
}

std::vector<WeightedTree> pcie_trees(const TreeMethod& method, const JobSpec& job) {
  const std::vector<int> order = pcie_order(job);
  const int ranks = static_cast<int>(order.size());
  const auto root = std::find(order.begin(), order.end(), job.root) - order.begin();
  return renumbered(
      method.rooted ? collective::chain_from(ranks, static_cast<int>(root)) : collective::chain_from_middle(ranks), order);
}

}  // namespace

std::vector<StreamTree> trees_of(const TreeMethod& method, const JobSpec& job, const topology::ServerGraph& servers,
                                 const CodegenParams& params) {
  std::vector<int> gpus;
  for (const int gpu : job.ranks) gpus.push_back(servers.local(gpu));
  const topology::Allocation allocation = topology::allocation(servers.server(), gpus);
  if (!params.trees.trees.empty())
    return on_path(weighted_trees(params.trees, allocation, method.rooted ? job.root : -1), CopyPath::nvlink);
  if (!connected(allocation)) return on_path(pcie_trees(method, job), CopyPath::pcie);
  const collective::GeneratedTrees made =
      method.generate(allocation, job.root, {params.treegen.epsilon, params.treegen.threshold});
  return on_path(collective::weighted_trees(made.graph, made.packing, method.rooted), CopyPath::nvlink);
}

}  // namespace tributary
