#include "testbench/family/blink/nvlink_packing.h"

#include <utility>

#include "modules/base/index.h"
#include "platforms/topology/nvlink_islands.h"
#include "testbench/collective/packing/shared_packing.h"
#include "testbench/family/blink/directed_parts.h"
#include "testbench/family/blink/given_trees.h"
#include "testbench/family/blink/island_trees.h"
#include "testbench/family/blink/switch_report.h"

namespace tributary {
namespace {

/// Makes trees over GPUs that an NVSwitch joins. The GPU with fewest links bounds their rate.
void through_switch(const PackingJob& job, const topology::Server& server, PackedTrees& packed) {
  const auto ranks = static_cast<int>(job.part.gpus.size());
  const std::vector<int> links = topology::links_to_switches(server);
  int least = links[at(job.part.gpus.front())];
  for (const int gpu : job.part.gpus) least = std::min(least, links[at(gpu)]);
  packed.trees = collective::switch_trees(job.algorithm.use, ranks, job.root);
  packed.rate = least * (ranks < 2 ? 1 : switch_rate(packed.trees, job.algorithm.use).value());
}

}  // namespace

Packing packing_of(const PackingJob& job, const std::vector<int>& islands, const topology::Server& server,
                   const CodegenParams& params) {
  const std::vector<int>& gpus = job.part.gpus;
  const int count = 1 + *std::max_element(islands.begin(), islands.end());
  if (job.alone && !params.trees.trees.empty()) return Packing::given;
  if (gpus.size() > 1 && count == static_cast<int>(gpus.size())) return Packing::none;
  if (count > 1) return Packing::islands;
  if (topology::links_to_switches(server)[at(gpus.front())] > 0) return Packing::switched;
  const bool parts = job.alone && has_directed_parts(job.algorithm, topology::allocation(server, gpus), params.treegen);
  return parts ? Packing::each_rank : Packing::generated;
}

PackedTrees packed_trees(const PackingJob& job, const ServerWires& wires, const CodegenParams& params,
                         collective::KeptTrees& kept) {
  const topology::Server& server = wires.servers().server();
  const TreeAlgorithm& algorithm = job.algorithm;
  std::vector<int> gpus = job.part.gpus;
  for (int& gpu : gpus) gpu += job.first_gpu;
  PackedTrees packed{{}, 0, islands_of(wires.servers(), gpus)};
  switch (packing_of(job, packed.islands, server, params)) {
    case Packing::given:
      packed.trees =
          weighted_trees(params.trees, topology::allocation(server, job.part.gpus), algorithm.rooted ? job.root : -1);
      packed.rate = 1;
      packed.islands.assign(gpus.size(), 0);  // each edge is an NVLink
      break;
    case Packing::none:
      break;
    case Packing::islands: {
      const collective::SharedGraph graph = shared_links(wires, gpus, packed.islands);
      packed.trees = collective::shared_packing(graph, algorithm.rooted, job.root, params.treegen.options().threshold).trees;
      packed.rate = 1;
      break;
    }
    case Packing::switched:
      through_switch(job, server, packed);
      packed.from_roots = wires.servers().servers() == 1 && !algorithm.rooted;
      break;
    case Packing::each_rank:
      packed.trees = trees_from_each_rank(topology::allocation(server, job.part.gpus), params.treegen.options(), kept);
      packed.from_roots = true;
      break;
    case Packing::generated: {
      const topology::Allocation allocation = topology::allocation(server, job.part.gpus);
      const collective::GeneratedTrees& made = algorithm.generate(kept, allocation, job.root, params.treegen.options());
      packed.trees = collective::weighted_trees(made.graph, made.packing, algorithm.rooted);
      packed.rate = made.packing.rate().value();
      break;
    }
  }
  return packed;
}

}  // namespace tributary
