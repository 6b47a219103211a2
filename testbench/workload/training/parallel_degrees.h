#pragma once
/// Over how many ranks a model is spread, beside the replicas that reduce gradients.

#include <string>

#include "modules/base/parameters.h"

namespace tributary::training {

/// Ranks of a model: tensor x pipeline, the tensor's next to each other. The others hold replicas, and `expert` of these
/// share the experts of a layer. Text form: `tensor=4,pipeline=2`, or `none`.
struct ParallelDegrees {
  unsigned tensor = 1, pipeline = 1, expert = 1;

  bool any() const { return tensor > 1 || pipeline > 1 || expert > 1; }
  unsigned model_ranks() const { return tensor * pipeline; }
};

}  // namespace tributary::training

namespace tributary {

template <>
struct ParameterText<training::ParallelDegrees> {
  static training::ParallelDegrees parse(const std::string& text);
  static std::string print(const training::ParallelDegrees& degrees);
  static std::string legal() { return "tensor=N, pipeline=N and expert=N, with commas between, N from 1 to 1024, or none"; }
};

}  // namespace tributary
