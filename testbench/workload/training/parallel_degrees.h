#pragma once
/// Degrees of parallelism of a model, in addition to the replicas that reduce gradients.

#include <string>

#include "modules/base/parameters.h"

namespace tributary::training {

/// A model occupies tensor x pipeline ranks; the ranks of one tensor group are adjacent. The other ranks hold the same
/// weights: `context` of them, also adjacent, divide the tokens of each sequence, and are a replica. Each `expert` of them
/// share the experts of a layer. Text form: `tensor=4,pipeline=2`, or `none`.
struct ParallelDegrees {
  unsigned tensor = 1, pipeline = 1, expert = 1, context = 1;

  bool any() const { return tensor > 1 || pipeline > 1 || expert > 1 || context > 1; }
  unsigned model_ranks() const { return tensor * pipeline; }  ///< that hold all weights once
};

}  // namespace tributary::training

namespace tributary {

template <>
struct ParameterText<training::ParallelDegrees> {
  static training::ParallelDegrees parse(const std::string& text);
  static std::string print(const training::ParallelDegrees& degrees);
  static std::string legal() {
    return "tensor=N, context=N, pipeline=N and expert=N, separated by commas, N from 1 to 1024, or none";
  }
};

}  // namespace tributary
