#pragma once
/// Measured times: one time for an iteration, or a file with one row per layer.

#include <string>
#include <vector>

#include "testbench/workload/training/compute/times.h"
#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// Spreads one time over all layers by their multiplications; the backward pass of a layer takes twice its forward pass,
/// half of it for the input gradient. The sum is `iteration` to the picosecond. Throws InputError on a model without
/// multiplications.
std::vector<PassTimes> spread_time(const Model& model, Tick iteration);

struct TimeRow {
  std::string name;
  PassTimes times;
};

/// Parses a CSV: a header `Layer name, Forward, Input gradient, Weight gradient`, optionally with `Update`, then a row for
/// each layer in forward order, in milliseconds. Throws InputError `where:line: what; what is legal`.
std::vector<TimeRow> parse_time_table(const std::string& text, const std::string& where);

/// Reads such a file, whose rows must be the layers of the model. Throws InputError.
std::vector<PassTimes> read_time_table(const std::string& path, const Model& model);

}  // namespace tributary::training
