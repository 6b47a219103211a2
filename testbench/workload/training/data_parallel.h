#pragma once
/// A synchronous data-parallel step as a graph: forward, backward, collectives of gradients, optimizer.

#include <functional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "testbench/workload/training/message_plan.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// What the ranks keep of gradients, optimizer state and parameters (ZeRO, SC 2020).
enum class Sharding : std::uint8_t {
  none,       ///< an all-reduce of gradients
  gradients,  ///< ZeRO-1 and 2: reduce-scatter of gradients, all-gather of parameters
  all         ///< ZeRO-3, FSDP: parameters gathered for forward and again for backward, gradients scattered
};

struct DataParallelSpec {
  int ranks = 1;
  std::vector<StepLayer> layers;  ///< from the input
  PlanOptions plan;
  std::string algorithm;  ///< of the collectives; empty: the run's
  ElementType type = ElementType::f32;
  bool priority = false;  ///< layer nearest the input first, and forward waits for its own layer alone; else by readiness
  unsigned streams = 1;   ///< messages take turns
  Issue issue = Issue::serial;
  std::uint64_t credit = 0;          ///< bytes, with Mode::partition
  bool weight_first = false;         ///< in backward of a layer: weight gradient, then input gradient
  bool first_input_gradient = true;  ///< of the first layer, which nothing needs
  unsigned accumulate = 1;           ///< passes before the collectives
  int iterations = 1;
  std::function<Tick(std::uint64_t parameters)> update = {};  ///< time of an optimizer's step on a rank; none: no step
  bool update_each = false;                                   ///< a step after each message; else one after all
  Sharding sharding = Sharding::none;
  unsigned prefetch = 1;  ///< Sharding::all: layers gathered ahead of the one that computes
};

/// Throws InputError: as message_plan; fusion without times; fusion, priority, partition, several streams or passes with
/// Sharding::all.
TaskGraph data_parallel(const DataParallelSpec& spec);

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::Sharding> {
  static const std::vector<std::pair<training::Sharding, std::string>>& names();
};
}  // namespace tributary
