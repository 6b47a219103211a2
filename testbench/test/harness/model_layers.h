#pragma once
/// Small models of equal layers for tests of parallel training, and the collectives of their graphs.

#include <cstdint>
#include <string>

#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/model_parallel.h"

namespace tributary::training {

/// Layers with 10 forward and 20 backward, 64 activations and 1000 weights.
inline ModelParallelSpec equal_layers(unsigned count) {
  ModelParallelSpec spec;
  for (unsigned l = 0; l < count; ++l)
    spec.layers.push_back({{"l" + std::to_string(l), {1000}, Work::of_time(10), Work::of_time(10), Work::of_time(10), -1},
                           Split::none,
                           0,
                           64,
                           64});
  return spec;
}

/// Attention and MLP: two layers each, of which the second sums.
inline ModelParallelSpec blocks(unsigned count) {
  ModelParallelSpec spec = equal_layers(4 * count);
  for (std::size_t l = 0; l < spec.layers.size(); ++l) spec.layers[l].split = l % 2 == 0 ? Split::outputs : Split::inputs;
  return spec;
}

/// Every transfer lasts `time` and loads no link.
inline IdealOptions transfers_of(Tick time) {
  IdealOptions options;
  options.transfer = [=](const Task&) { return TransferTime{time, 0, 0}; };
  return options;
}

/// Bytes of all operations of a collective, of groups whose names begin with `group`.
inline std::uint64_t bytes_of(const TaskGraph& graph, const std::string& collective, const std::string& group = "") {
  std::uint64_t bytes = 0;
  for (const Task& task : graph.tasks)
    if (task.transfer.collective == collective && graph.groups[task.group].name.rfind(group, 0) == 0)
      bytes += task.transfer.bytes;
  return bytes;
}

}  // namespace tributary::training
