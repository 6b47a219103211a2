#pragma once
/// Order of the passes of a pipeline's ranks.

#include <vector>

namespace tributary::training {

/// Forward or backward pass of a stage for one micro-batch. A rank with several stages numbers them from the input: its
/// stage `turn` is stage turn x places + place of the model.
struct StagePass {
  bool forward = true;
  unsigned micro_batch = 0, turn = 0;

  friend bool operator==(const StagePass& a, const StagePass& b) {
    return a.forward == b.forward && a.micro_batch == b.micro_batch && a.turn == b.turn;
  }
};

/// A pipeline of `places` positions, each with `turns` stages, for `micro_batches`.
struct PipelineShape {
  unsigned places = 1, turns = 1, micro_batches = 1;
};

/// Returns the passes of a place in order. With one stage per place 1F1B (PipeDream-Flush): min(m, p-1-place) forward
/// passes, then one backward after each forward; without communication the fraction of bubbles is (p-1)/(m+p-1). With
/// several stages the interleaved order of Megatron-LM (Narayanan et al., SC 2021, 2.2): p micro-batches pass through one
/// stage of the place, then through the next, after 2 (p-1-place) + (turns-1) p forward passes; the fraction is
/// (p-1)/(m turns+p-1). Throws InputError if several stages have a number of micro-batches that p does not divide.
std::vector<StagePass> pipeline_order(const PipelineShape& shape, unsigned place);

}  // namespace tributary::training
