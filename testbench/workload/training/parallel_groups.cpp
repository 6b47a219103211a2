#include "testbench/workload/training/parallel_groups.h"

#include <string>
#include <utility>

namespace tributary::training {

template <class Member>
GroupId ParallelGroups::group(TaskGraph& graph, const char* name, std::size_t number, unsigned size, Member member) const {
  std::vector<int> ranks;
  for (unsigned k = 0; k < size; ++k) ranks.push_back(member(k));
  return graph.add_group(name + std::to_string(number), std::move(ranks));
}

/// Adds `number` groups of `size` ranks: `member(g, k)` is rank k of group g. Of classes, adds the first.
template <class Member>
std::vector<GroupId> ParallelGroups::equal_groups(TaskGraph& graph, const char* name, unsigned of_stage, unsigned number,
                                                  unsigned size, Member member) const {
  std::vector<GroupId> all;
  for (unsigned g = 0; g < (classes_ ? 1 : number); ++g)
    all.push_back(group(graph, name, of_stage * number + g, size, [&](unsigned k) { return member(g, k); }));
  for (unsigned g = 1; classes_ && g < number; ++g) graph.groups[all.front()].shifts.push_back(member(g, 0) - member(0, 0));
  return all;
}

ParallelGroups::ParallelGroups(const ParallelDegrees& degrees, unsigned all_replicas, TaskGraph& graph, bool classes)
    : tensor(degrees.pipeline),
      replicas(degrees.pipeline),
      experts(degrees.pipeline),
      same_experts(degrees.pipeline),
      context(degrees.pipeline),
      degrees_(degrees),
      replicas_(all_replicas),
      classes_(classes) {
  const unsigned parts = degrees.tensor;
  for (unsigned p = 0; p < degrees.pipeline; ++p) {
    const auto all = [&](unsigned k) { return rank(p, 0, k); };
    stage.push_back(degrees.pipeline == 1 ? 0 : group(graph, "stage", p, replicas_ * parts, all));
    if (parts > 1)
      tensor[p] = equal_groups(graph, "tp", p, replicas_, parts, [&](unsigned d, unsigned t) { return rank(p, d, t); });
    if (replicas_ > 1)
      replicas[p] = equal_groups(graph, "dp", p, parts, replicas_, [&](unsigned t, unsigned d) { return rank(p, d, t); });
    if (degrees.expert > 1) add_experts(graph, p);
    if (degrees.context > 1) add_context(graph, p);
    if (classes_) graph.representatives.push_back(rank(p, 0, 0));
  }
}

/// Sets of replicas that share experts, and ranks with the same experts, part by part.
void ParallelGroups::add_experts(TaskGraph& graph, unsigned p) {
  const unsigned together = degrees_.expert, sets = replicas_ / together, parts = degrees_.tensor;
  experts[p] = equal_groups(graph, "ep", p, parts * sets, together,
                            [&](unsigned g, unsigned e) { return rank(p, g % sets * together + e, g / sets); });
  if (sets > 1)
    same_experts[p] = equal_groups(graph, "edp", p, parts * together, sets, [&](unsigned g, unsigned s) {
      return rank(p, s * together + g % together, g / together);
    });
}

/// Sets of replicas that share sequences, part by part.
void ParallelGroups::add_context(TaskGraph& graph, unsigned p) {
  const unsigned together = degrees_.context, sets = replicas_ / together, parts = degrees_.tensor;
  context[p] = equal_groups(graph, "cp", p, parts * sets, together,
                            [&](unsigned g, unsigned c) { return rank(p, g % sets * together + c, g / sets); });
}

}  // namespace tributary::training
