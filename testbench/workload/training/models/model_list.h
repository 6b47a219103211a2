#pragma once
/// Models that ship with Tributary: files of `data/`, part of the executable.

#include <string>
#include <vector>

#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// Names for find_model(), in the order of the alphabet.
std::vector<std::string> model_names();
/// A model that ships, by its name; else a file (read_model()). Throws InputError: neither, with the nearest names.
Model find_model(const std::string& name_or_path);

}  // namespace tributary::training
