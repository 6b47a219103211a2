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

ParallelGroups::ParallelGroups(const ParallelDegrees& degrees, unsigned all_replicas, TaskGraph& graph)
    : tensor(degrees.pipeline),
      replicas(degrees.pipeline),
      experts(degrees.pipeline),
      same_experts(degrees.pipeline),
      context(degrees.pipeline),
      degrees_(degrees),
      replicas_(all_replicas) {
  const unsigned parts = degrees.tensor;
  for (unsigned p = 0; p < degrees.pipeline; ++p) {
    const auto all = [&](unsigned k) { return rank(p, 0, k); };
    stage.push_back(degrees.pipeline == 1 ? 0 : group(graph, "stage", p, replicas_ * parts, all));
    for (unsigned d = 0; parts > 1 && d < replicas_; ++d)
      tensor[p].push_back(group(graph, "tp", p * replicas_ + d, parts, [&](unsigned t) { return rank(p, d, t); }));
    for (unsigned t = 0; replicas_ > 1 && t < parts; ++t)
      replicas[p].push_back(group(graph, "dp", p * parts + t, replicas_, [&](unsigned d) { return rank(p, d, t); }));
    if (degrees.expert > 1) add_experts(graph, p);
    if (degrees.context > 1) add_context(graph, p);
  }
}

void ParallelGroups::add_experts(TaskGraph& graph, unsigned p) {
  const unsigned together = degrees_.expert, sets = replicas_ / together;
  for (unsigned t = 0; t < degrees_.tensor; ++t) {
    const unsigned part = p * degrees_.tensor + t;
    for (unsigned s = 0; s < sets; ++s)
      experts[p].push_back(
          group(graph, "ep", part * sets + s, together, [&](unsigned e) { return rank(p, s * together + e, t); }));
    for (unsigned e = 0; sets > 1 && e < together; ++e)
      same_experts[p].push_back(
          group(graph, "edp", part * together + e, sets, [&](unsigned s) { return rank(p, s * together + e, t); }));
  }
}

void ParallelGroups::add_context(TaskGraph& graph, unsigned p) {
  const unsigned together = degrees_.context, sets = replicas_ / together;
  for (unsigned t = 0; t < degrees_.tensor; ++t)
    for (unsigned s = 0; s < sets; ++s)
      context[p].push_back(group(graph, "cp", (p * degrees_.tensor + t) * sets + s, together,
                                 [&](unsigned c) { return rank(p, s * together + c, t); }));
}

}  // namespace tributary::training
