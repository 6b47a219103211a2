#pragma once
/// Steps whose layers are spread over ranks, as graphs: tensor parallel, pipeline, experts, and replicas of all these.

#include <functional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "testbench/workload/training/message_plan.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/parallel_degrees.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// A rank's part of a layer, for one micro-batch.
struct PartLayer {
  StepLayer step;
  Split split = Split::none;
  std::uint64_t chosen = 0;               ///< experts that a token passes; 0: the layer has none
  std::uint64_t inputs = 0, outputs = 0;  ///< elements of the whole layer's for the micro-batch; 0: not known
};

/// Rank (p x replicas + d) x tensor + t is number t of the ranks that share a layer, in replica d of stage p. Groups are
/// `tp0` ... of the first, `dp0` ... of equal parts of all replicas, `ep0` ... of `expert` replicas next to each other and
/// `edp0` ... of those with the same experts.
///
/// Tensor parallel (Megatron-LM): outputs of a layer that is split by inputs are summed, and so are gradients of the inputs
/// of those split by outputs, once for a run of them: 4 all-reduces of activations for a block of attention and MLP, all on
/// the critical path. Pipeline: 1F1B (PipeDream-Flush), stage s runs min(m, p-1-s) forward passes, then one backward after
/// each forward; without communication the share of bubbles is (p-1)/(m+p-1). Experts (GShard): a run of layers with
/// experts begins and ends with an all-to-all of its tokens, and again in backward.
struct ModelParallelSpec {
  ParallelDegrees degrees;
  unsigned replicas = 1;
  std::vector<PartLayer> layers;  ///< from the input
  PlanOptions plan;               ///< of gradients, among replicas
  std::string algorithm;          ///< of the collectives; empty: the run's
  ElementType type = ElementType::f32;
  Issue issue = Issue::serial;
  double capacity = 1;  ///< of experts: tokens that are sent, for each that is there
  unsigned micro_batches = 1;
  int iterations = 1;
  bool weight_first = false;
  bool first_input_gradient = true;
  std::function<Tick(std::uint64_t parameters)> update = {};  ///< as DataParallelSpec::update
  bool update_each = false;
};

/// Throws InputError: more stages than layers, replicas that `expert` does not divide, activations of unknown size, fusion.
TaskGraph model_parallel(const ModelParallelSpec& spec);

/// Layer at which each stage begins, and one past the last: the longest stage is as short as it can be.
std::vector<std::size_t> stages_of(const std::vector<PartLayer>& layers, unsigned stages);

}  // namespace tributary::training
