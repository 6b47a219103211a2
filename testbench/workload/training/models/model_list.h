#pragma once
/// Built-in models: files of `data/`, embedded in the executable.

#include <string>
#include <vector>

#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// Returns the names for find_model(), in alphabetical order.
std::vector<std::string> model_names();
/// Returns a built-in model by name, else reads a file (read_model()). Throws InputError with the nearest names if neither
/// exists.
Model find_model(const std::string& name_or_path);

}  // namespace tributary::training
