#pragma once
/// Steps whose layers are spread over ranks, as graphs: tensor parallel, pipeline, experts.

#include <string>
#include <vector>

#include "modules/base/element.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// A layer's work on one rank for one micro-batch.
struct PartLayer {
  std::string name;
  Work forward, backward;
};

/// Tensor parallel (Megatron-LM): a layer is two halves, attention and MLP, each of which ends with an all-reduce of the
/// activations in forward and begins with one in backward: 4 for each layer and micro-batch, all on the critical path.
struct TensorParallelSpec {
  int ranks = 1;     ///< of a group `tp0` ...
  int replicas = 1;  ///< such groups; members with equal numbers form `dp0` ... when there are gradients
  std::vector<PartLayer> layers;
  std::uint64_t activation_bytes = 0;  ///< tokens x hidden size x element
  std::uint64_t gradient_bytes = 0;    ///< of a rank's weights of one layer, reduced over the replicas; 0: none
  std::string algorithm;
  ElementType type = ElementType::f16;
  unsigned micro_batches = 1;
  int iterations = 1;
};
/// Ranks r, r+1 ... of a replica stand next to each other.
TaskGraph tensor_parallel(const TensorParallelSpec& spec);

/// Pipeline of stages, one forward one backward (1F1B, PipeDream-Flush): stage s runs min(m, p-1-s) forward passes, then one
/// backward after each forward. Without communication the share of bubbles is (p-1)/(m+p-1).
struct PipelineSpec {
  std::vector<PartLayer> stages;       ///< a rank each
  std::uint64_t activation_bytes = 0;  ///< at a boundary, for a micro-batch; gradients have as many
  unsigned micro_batches = 1;
  ElementType type = ElementType::f16;
  int iterations = 1;
};
TaskGraph pipeline_parallel(const PipelineSpec& spec);

/// Experts spread over all ranks (GShard): a layer dispatches its tokens by an all-to-all, computes its experts, combines by
/// another, and both again in backward: 4 for each layer.
struct ExpertParallelSpec {
  int ranks = 1;
  std::vector<PartLayer> layers;
  std::uint64_t bytes = 0;  ///< of an all-to-all: tokens of a rank x top-k x hidden size x capacity factor x element
  std::string algorithm;
  ElementType type = ElementType::f16;
  int iterations = 1;
};
TaskGraph expert_parallel(const ExpertParallelSpec& spec);

}  // namespace tributary::training
