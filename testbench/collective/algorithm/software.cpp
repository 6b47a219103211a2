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

/// A chunk has at least 16 KiB if there are several: sending one takes no longer than a hop, and a rank that serves several
/// queues in turn delays none of them for long. `most` bounds the work of the proof.
int pipeline_chunks(std::uint64_t message_bytes, std::uint64_t most) {
  return static_cast<int>(std::clamp<std::uint64_t>(message_bytes / (16 * 1024), 1, most));
}

Schedule allreduce_by_trees(const SoftwareRequest& r) {
  return tree_allreduce("double_binary_tree", double_binary_trees(r.ranks), tree_chunks(r.message_bytes, r.ranks));
}

/// Builds one traversal down (or up) two trees or one path.
using TreeRoute = Schedule (*)(const std::string& name, const std::vector<Tree>& trees, int chunks);
template <TreeRoute route>
Schedule by_trees(const SoftwareRequest& r) {
  return route("double_binary_tree", double_binary_trees_below(r.ranks, r.root), tree_chunks(r.message_bytes, r.ranks));
}
template <TreeRoute route>
Schedule by_path(const SoftwareRequest& r) {
  return route("ring", {path_tree(r.ranks, r.root)}, path_chunks(r.message_bytes, r.ranks));
}

/// Builds a schedule that depends only on the number of ranks.
template <Schedule (*build)(int ranks)>
Schedule among(const SoftwareRequest& r) {
  return build(r.ranks);
}

Schedule gathered(const SoftwareRequest& r) { return direct_gather(r.ranks, r.root); }

}  // namespace

/// Each of the two trees gets a chunk if the message has more than one block.
int tree_chunks(std::uint64_t message_bytes, int ranks) {
  if (message_bytes <= block_bytes) return 1;
  return std::max(2, pipeline_chunks(message_bytes, static_cast<std::uint64_t>(std::clamp(16384 / ranks, 128, 1024))));
}

int path_chunks(std::uint64_t message_bytes, int ranks) {
  return pipeline_chunks(message_bytes, static_cast<std::uint64_t>(std::clamp(32768 / ranks, 256, 1024)));
}

const std::vector<SoftwareAlgorithm>& software_algorithms() {
  static const std::vector<SoftwareAlgorithm> all{
      {"allreduce", "ring", among<ring_allreduce>},
      {"allreduce", "double_binary_tree", allreduce_by_trees},
      {"allreduce", "halving_doubling", among<halving_doubling_allreduce>},
      {"allreduce", "star", among<star_allreduce>},
      {"broadcast", "ring", by_path<tree_broadcast>},
      {"broadcast", "double_binary_tree", by_trees<tree_broadcast>},
      {"multicast", "ring", by_path<tree_broadcast>},
      {"multicast", "double_binary_tree", by_trees<tree_broadcast>},
      {"reduce", "ring", by_path<tree_reduce>},
      {"reduce", "double_binary_tree", by_trees<tree_reduce>},
      {"reduce_scatter", "ring", among<ring_reduce_scatter>},
      {"allgather", "ring", among<ring_allgather>},
      {"gather", "direct", gathered},
      {"alltoall", "direct", among<direct_alltoall>},
      {"sendrecv", "direct", among<direct_sendrecv>},
      {"barrier", "dissemination", among<dissemination_barrier>},
  };
  return all;
}

const SoftwareAlgorithm* find_software(const std::string& collective, const std::string& algorithm) {
  for (const SoftwareAlgorithm& a : software_algorithms())
    if (a.collective == collective && a.name == algorithm) return &a;
  return nullptr;
}

Schedule software_schedule(const std::string& collective, const std::string& algorithm, int ranks, int root,
                           std::uint64_t message_bytes) {
  const SoftwareAlgorithm* found = find_software(collective, algorithm);
  if (found == nullptr) throw ScheduleError(collective + ": no software algorithm " + algorithm);
  return found->build({ranks, root, message_bytes});
}

}  // namespace tributary::collective
