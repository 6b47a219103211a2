#include "testbench/family/blink/directed_parts.h"

#include <utility>

namespace tributary {

bool has_directed_parts(const TreeAlgorithm& algorithm, const topology::Allocation& allocation,
                        const TreegenParams& params) {
  using collective::TreeUse;
  constexpr int most_ranks = 8;  // integer programs are short, and one is solved for each rank
  if (algorithm.use != TreeUse::allgather && algorithm.use != TreeUse::reduce_scatter) return false;
  const TreeDirections standard = allocation.ranks() <= most_ranks ? TreeDirections::directed : TreeDirections::undirected;
  return params.allgather.value_or(standard) == TreeDirections::directed;
}

std::vector<collective::WeightedTree> trees_from_each_rank(const topology::Allocation& allocation,
                                                           const collective::TreeOptions& options,
                                                           collective::KeptTrees& kept) {
  std::vector<collective::WeightedTree> all;
  for (int root = 0; root < allocation.ranks(); ++root) {
    const collective::GeneratedTrees& made = kept.broadcast(allocation, root, options);
    for (collective::WeightedTree& tree : collective::weighted_trees(made.graph, made.packing, true)) {
      tree.group = static_cast<int>(all.size());
      all.push_back(std::move(tree));
    }
  }
  return all;
}

}  // namespace tributary
