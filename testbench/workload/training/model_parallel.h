#pragma once
/// Graphs of steps whose layers are distributed over ranks: tensor parallel, pipeline, experts, and replicas of these.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "testbench/workload/training/data_parallel.h"
#include "testbench/workload/training/message_plan.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/parallel_degrees.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Division of layers among the stages of a pipeline.
enum class StageRule : std::uint8_t {
  balanced,  ///< the longest stage is as short as possible
  blocks     ///< equal numbers of blocks; single layers before and after them belong to the first and the last stage, which
             ///< have a block less each where only that makes the numbers equal
};

/// A rank's slice of a layer, for one micro-batch.
struct PartLayer {
  StepLayer step;
  Split split = Split::none;
  std::uint64_t chosen = 0;               ///< experts per token; 0: the layer has none
  std::uint64_t inputs = 0, outputs = 0;  ///< elements of the whole layer for the micro-batch; 0: unknown
  std::uint64_t whole = 0;                ///< weights that every tensor parallel rank holds
  std::uint64_t keys = 0;                 ///< elements of keys and values of the rank's tokens; 0: no attention
};

/// Overlap of sequence parallel ranks' transfers with computation (Transformer Engine: userbuffers).
enum class TensorOverlap : std::uint8_t {
  none,
  gemm  ///< a transfer of sequence parallel ranks runs while the product before or after it is computed
};

/// Rank (p x replicas + d) x tensor + t is number t of the ranks that share a layer, in replica d of place p of the
/// pipeline. Context parallel ranks are adjacent replicas with tokens of their own (replica d is part d % context of a
/// sequence); their groups are `cp0` ... Groups are `tp0` ... of ranks that share a layer, `dp0` ... of equal slices in all
/// replicas, `ep0` ... of `expert` adjacent replicas, and `edp0` ... of ranks with the same experts.
///
/// Tensor parallel (Megatron-LM): the outputs of a layer that is split by inputs are summed, and so are the input gradients
/// of layers split by outputs, once per run of such layers: 4 all-reduces of activations per block of attention and MLP,
/// all on the critical path. With `sequence` (Korthikanti et al., MLSys 2023, 4.2.2) each rank holds its tokens between
/// these layers: a reduce-scatter and an all-gather replace each all-reduce, backward gathers the inputs of layers split by
/// outputs again, and the gradients of weights that all ranks hold are summed once per iteration.
/// With TensorOverlap::gemm a transfer and its product take the time of the longer: forward gathers with the product after
/// it, and scatters with the product before it; backward gathers gradients with the product of the input gradient, and
/// scatters them with that of the weight gradient. Attention and its gradient are tasks of their own then.
/// Context: attention is computed in `context` parts. Keys and values go round a ring, whose step k runs while part k - 1 is
/// computed; backward moves their gradients, too (Liu et al., Ring Attention, ICLR 2024).
/// Pipeline: `pipeline_order()`. Experts (GShard): a run of layers with experts begins and ends with an all-to-all of its
/// tokens, in forward and in backward.
struct ModelParallelSpec {
  ParallelDegrees degrees;
  unsigned replicas = 1;
  std::vector<PartLayer> layers;        ///< from the input on
  PlanOptions plan;                     ///< grouping of gradients among replicas, with the bytes of `gradient_type`
  std::string algorithm;                ///< algorithm of the collectives; empty: the run's
  ElementType type = ElementType::f32;  ///< of weights and activations
  Issue issue = Issue::serial;
  double capacity = 1;  ///< experts: tokens sent per token present
  unsigned micro_batches = 1;
  int iterations = 1;
  bool weight_first = false;
  bool first_input_gradient = true;
  std::function<Tick(std::uint64_t parameters)> update = {};  ///< as DataParallelSpec::update
  bool update_each = false;
  bool update_shards = false;  ///< each replica updates an equal part of the parameters
  bool priority = false;       ///< as DataParallelSpec::priority
  unsigned queues = 1;         ///< communication queues of gradients, used by messages in turn
  std::uint64_t credit = 0;    ///< as DataParallelSpec::credit
  bool sequence = false;
  unsigned virtual_stages = 1;  ///< stages of each place of the pipeline
  StageRule stage_rule = StageRule::balanced;
  Recompute recompute = Recompute::none;
  Sharding sharding = Sharding::none;
  unsigned prefetch = 1;                          ///< as DataParallelSpec::prefetch
  std::optional<ElementType> gradient_type = {};  ///< none: `type`
  TensorOverlap overlap = TensorOverlap::none;
  bool classes = false;  ///< the ranks of a stage are alike: the graph has one for each place of the pipeline
};

/// Builds the graph. Throws InputError on more stages than layers, a number of replicas that `expert` does not divide,
/// activations of unknown size, fusion, and what pipeline_order() and fully_sharded() refuse.
TaskGraph model_parallel(const ModelParallelSpec& spec);

/// Returns the first layer of each stage, and one past the last layer. Throws InputError on more stages than layers, and
/// with StageRule::blocks on a number of blocks that the stages divide neither as it is nor with 2 more.
std::vector<std::size_t> stages_of(const std::vector<PartLayer>& layers, unsigned stages,
                                   StageRule rule = StageRule::balanced);

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::StageRule> {
  static const std::vector<std::pair<training::StageRule, std::string>>& names();
};
template <>
struct EnumNames<training::TensorOverlap> {
  static const std::vector<std::pair<training::TensorOverlap, std::string>>& names();
};
}  // namespace tributary
