#pragma once
/// The slice of a model that a rank holds when layers are distributed over ranks.

#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/parallel_degrees.h"

namespace tributary::training {

/// Divides the matrices of layers with a `split` into `tensor` slices and returns the largest slice; divides the experts of
/// a layer into `expert` equal sets. Throws InputError if no layer has a split, no layer has experts, or `expert` does not
/// divide the experts.
Model part_of(const Model& model, const ParallelDegrees& degrees);

/// Return the elements of one sample or token; 0 for a layer without a shape.
std::uint64_t input_elements(const ModelLayer& layer);
std::uint64_t output_elements(const ModelLayer& layer);

}  // namespace tributary::training
