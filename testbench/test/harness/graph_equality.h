#pragma once
/// Compares two task graphs.

#include <tuple>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

inline bool equal(const Transfer& a, const Transfer& b) {
  const auto range = [](const Transfer& t) {
    return t.buffer ? std::make_tuple(true, t.buffer->first, t.buffer->bytes)
                    : std::make_tuple(false, std::uint64_t{0}, std::uint64_t{0});
  };
  return std::tie(a.collective, a.algorithm, a.bytes, a.type, a.root, a.peer, a.tag) ==
             std::tie(b.collective, b.algorithm, b.bytes, b.type, b.root, b.peer, b.tag) &&
         range(a) == range(b);
}

inline bool equal(const Work& a, const Work& b) {
  return std::tie(a.kind, a.time, a.flop, a.bytes, a.rows, a.columns, a.length, a.memory_bound) ==
         std::tie(b.kind, b.time, b.flop, b.bytes, b.rows, b.columns, b.length, b.memory_bound);
}

inline bool equal(const Task& a, const Task& b) {
  const auto rest = [](const Task& t) {
    return std::tie(t.name, t.kind, t.group, t.rank, t.after, t.priority, t.queue, t.iteration, t.layer, t.micro_batch,
                    t.pass, t.delay);
  };
  return rest(a) == rest(b) && equal(a.work, b.work) && equal(a.transfer, b.transfer);
}

inline bool equal(const TaskGraph& a, const TaskGraph& b) {
  const auto rest = [](const TaskGraph& g) {
    return std::tie(g.ranks, g.layers, g.iterations, g.compute_order, g.comm_order, g.issue, g.credit, g.samples, g.tokens);
  };
  if (rest(a) != rest(b) || a.groups.size() != b.groups.size() || a.tasks.size() != b.tasks.size()) return false;
  for (std::size_t g = 0; g < a.groups.size(); ++g)
    if (a.groups[g].name != b.groups[g].name || a.groups[g].ranks != b.groups[g].ranks) return false;
  for (std::size_t t = 0; t < a.tasks.size(); ++t)
    if (!equal(a.tasks[t], b.tasks[t])) return false;
  return true;
}

}  // namespace tributary::training
