#include "testbench/collective/algorithm/software.h"

#include <algorithm>

#include "testbench/collective/algorithm/direct.h"
#include "testbench/collective/algorithm/dissemination.h"
#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/algorithm/star.h"
#include "testbench/collective/tree/tree_schedule.h"

namespace tributary::collective {
namespace {

/// Chunks of at least 16 KiB where there are several: one then takes no longer than a hop, and a rank that serves several
/// streams in turn makes none of them wait for long. `most` bounds the work of the proof.
int pipeline_chunks(std::uint64_t message_bytes, std::uint64_t most) {
  return static_cast<int>(std::clamp<std::uint64_t>(message_bytes / (16 * 1024), 1, most));
}

int path_chunks(std::uint64_t message_bytes, int ranks) {
  return pipeline_chunks(message_bytes, static_cast<std::uint64_t>(std::clamp(32768 / ranks, 256, 1024)));
}

/// Both trees want a chunk, where the message has two blocks.
int tree_chunks(std::uint64_t message_bytes, int ranks) {
  if (message_bytes <= block_bytes) return 1;
  return std::max(2, pipeline_chunks(message_bytes, static_cast<std::uint64_t>(std::clamp(16384 / ranks, 128, 1024))));
}

Schedule tree_of(const std::string& collective, const std::string& name, int ranks, int root, std::uint64_t bytes) {
  if (collective == "allreduce") return tree_allreduce(name, double_binary_trees(ranks), tree_chunks(bytes, ranks));
  const bool path = name == "ring";
  const std::vector<Tree> trees = path ? std::vector<Tree>{path_tree(ranks, root)} : double_binary_trees_below(ranks, root);
  const int chunks = path ? path_chunks(bytes, ranks) : tree_chunks(bytes, ranks);
  return collective == "reduce" ? tree_reduce(name, trees, chunks) : tree_broadcast(name, trees, chunks);
}

}  // namespace

const std::vector<SoftwareAlgorithm>& software_algorithms() {
  static const std::vector<SoftwareAlgorithm> all{
      {"allreduce", "ring"},
      {"allreduce", "double_binary_tree"},
      {"allreduce", "halving_doubling"},
      {"allreduce", "star"},
      {"broadcast", "ring"},
      {"broadcast", "double_binary_tree"},
      {"multicast", "ring"},
      {"multicast", "double_binary_tree"},
      {"reduce", "ring"},
      {"reduce", "double_binary_tree"},
      {"reduce_scatter", "ring"},
      {"allgather", "ring"},
      {"gather", "direct"},
      {"alltoall", "direct"},
      {"barrier", "dissemination"},
  };
  return all;
}

bool is_software(const std::string& collective, const std::string& algorithm) {
  const auto& all = software_algorithms();
  return std::any_of(all.begin(), all.end(),
                     [&](const SoftwareAlgorithm& a) { return a.collective == collective && a.name == algorithm; });
}

Chunking chunking_of(const std::string& collective) {
  if (collective == "alltoall") return Chunking::pairs;
  if (collective == "barrier") return Chunking::signal;
  const bool parts = collective == "allgather" || collective == "gather" || collective == "reduce_scatter";
  return parts ? Chunking::parts : Chunking::even;
}

Schedule software_schedule(const std::string& collective, const std::string& algorithm, int ranks, int root,
                           std::uint64_t message_bytes) {
  if (!is_software(collective, algorithm)) throw ScheduleError(collective + ": no software algorithm " + algorithm);
  if (algorithm == "halving_doubling") return halving_doubling_allreduce(ranks);
  if (algorithm == "star") return star_allreduce(ranks);
  if (algorithm == "dissemination") return dissemination_barrier(ranks);
  if (collective == "gather") return direct_gather(ranks, root);
  if (collective == "alltoall") return direct_alltoall(ranks);
  if (collective == "reduce_scatter") return ring_reduce_scatter(ranks);
  if (collective == "allgather") return ring_allgather(ranks);
  if (collective == "allreduce" && algorithm == "ring") return ring_allreduce(ranks);
  return tree_of(collective, algorithm, ranks, root, message_bytes);
}

}  // namespace tributary::collective
