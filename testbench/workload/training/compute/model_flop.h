#pragma once
/// Operations that a step of a model needs, by which its use of the peak (MFU) is counted.

#include <cstdint>

#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// Returns the operations of forward and backward on `samples` samples or tokens, each of which attends to `sequence`: 2 and
/// 4 for each multiplication with addition, also for those of attention, with all pairs of tokens. What recomputation
/// repeats does not count, nor do element-wise operations (Chowdhery et al., PaLM, 2022, Appendix B).
double model_flop(const Model& model, double samples, std::uint64_t sequence);

}  // namespace tributary::training
