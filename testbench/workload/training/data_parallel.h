#pragma once
/// Graph of a synchronous data-parallel step: forward, backward, collectives of gradients, optimizer.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "testbench/workload/training/message_plan.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Sharding of gradients, optimizer state and parameters over the ranks (ZeRO, SC 2020).
enum class Sharding : std::uint8_t {
  none,       ///< no sharding: all-reduce of gradients
  optimizer,  ///< ZeRO-1: reduce-scatter of gradients, all-gather of parameters
  gradients,  ///< ZeRO-2: the same messages; gradients are kept in parts
  all         ///< ZeRO-3, FSDP: parameters gathered for forward and again for backward, gradients reduce-scattered
};

/// Activations that backward computes again instead of keeping them (Chen et al., arXiv 1604.06174).
enum class Recompute : std::uint8_t {
  none,
  selective,  ///< attention is repeated before its backward (Korthikanti et al., MLSys 2023, 5)
  full        ///< forward of each block is repeated before its backward
};

/// Elements of a message.
enum class Moved : std::uint8_t { gradients, weights };

struct DataParallelSpec {
  int ranks = 1;
  std::vector<StepLayer> layers;        ///< from the input on
  PlanOptions plan;                     ///< with the bytes of `gradient_type`
  std::string algorithm;                ///< algorithm of the collectives; empty: the run's
  ElementType type = ElementType::f32;  ///< of weights
  bool priority = false;  ///< issue the layer nearest the input first, and let forward of a layer wait only for its own
                          ///< messages; else issue by readiness
  unsigned queues = 1;    ///< communication queues, used by messages in turn
  Issue issue = Issue::serial;
  std::uint64_t credit = 0;          ///< TaskGraph::credit with Mode::partition, bytes
  bool weight_first = false;         ///< backward of a layer: weight gradient before input gradient
  bool first_input_gradient = true;  ///< compute the input gradient of the first layer, which nothing needs
  unsigned accumulate = 1;           ///< forward and backward passes before the collectives
  int iterations = 1;
  std::function<Tick(std::uint64_t parameters)> update = {};  ///< time of an optimizer step on a rank; none: no step
  bool update_each = false;                                   ///< one step after each message; else one after all
  Sharding sharding = Sharding::none;
  unsigned prefetch = 1;  ///< Sharding::all: layers gathered ahead of the layer in computation
  Recompute recompute = Recompute::none;
  std::optional<ElementType> gradient_type = {};  ///< none: `type`
};

/// True if backward of the layer repeats its attention.
bool repeats_attention(const StepLayer& layer, Recompute recompute);

/// Builds the graph. Throws InputError as message_plan() does, on fusion without times, and with Sharding::all on fusion,
/// priority, partition, several queues, several passes or recomputation.
TaskGraph data_parallel(const DataParallelSpec& spec);

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::Sharding> {
  static const std::vector<std::pair<training::Sharding, std::string>>& names();
};
template <>
struct EnumNames<training::Recompute> {
  static const std::vector<std::pair<training::Recompute, std::string>>& names();
};
}  // namespace tributary
