#pragma once
/// What a rank holds of a model whose layers are spread over ranks.

#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/parallel_degrees.h"

namespace tributary::training {

/// Matrices of layers with a `split` in `tensor` parts, the largest of them; experts of a layer in `expert` equal ones.
/// Throws InputError: no layer says how it is split; no experts, or a number that is no multiple.
Model part_of(const Model& model, const ParallelDegrees& degrees);

/// Of one sample or token; 0 of a layer without a shape.
std::uint64_t input_elements(const ModelLayer& layer);
std::uint64_t output_elements(const ModelLayer& layer);

}  // namespace tributary::training
