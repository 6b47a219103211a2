#pragma once
/// Models from files: Tributary's YAML, and the CSV tables of SCALE-Sim.

#include <string>

#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// Parses a model in YAML (docs/training_models.md#files). Errors begin with `where`. Throws InputError `where:line: what;
/// what is legal`.
Model parse_model(const std::string& text, const std::string& where);

/// Parses a layer table of SCALE-Sim: each row is a layer with one tensor. Throws InputError as read_layer_table() does.
Model parse_layer_table_model(const std::string& text, const std::string& where);

/// Reads a model of either form, by the file extension: .yaml, .yml or .csv. Throws InputError, also if the file cannot be
/// read.
Model read_model(const std::string& path);

}  // namespace tributary::training
