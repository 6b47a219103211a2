#pragma once
/// Models from files: our YAML, and the CSV tables of SCALE-Sim.

#include <string>

#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// A model as YAML (docs/training_models.md#files). `where` stands in front of errors.
/// Throws InputError `where:line: what; what is legal`.
Model parse_model(const std::string& text, const std::string& where);

/// A layer table of SCALE-Sim: each row a layer of one tensor. Throws InputError, as read_layer_table().
Model parse_layer_table_model(const std::string& text, const std::string& where);

/// Either, by the end of the name: .yaml, .yml or .csv. Throws InputError, also where the file cannot be read.
Model read_model(const std::string& path);

}  // namespace tributary::training
