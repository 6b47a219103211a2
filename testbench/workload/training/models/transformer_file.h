#pragma once
/// The key `transformer` of a model file.

#include "testbench/workload/training/models/transformer.h"
#include "testbench/workload/training/models/yaml_values.h"

namespace tributary::training {

/// Reads the dimensions of a Transformer (docs/training_models.md#transformers). Throws InputError with position and legal
/// values.
TransformerShape read_transformer(const YamlValues& values, const YamlNode& node);

}  // namespace tributary::training
