#pragma once
/// Measured times: one for an iteration, or a file with a row for each layer.

#include <string>
#include <vector>

#include "testbench/workload/training/compute/times.h"
#include "testbench/workload/training/models/model.h"

namespace tributary::training {

/// One time over all layers by their multiplications; the backward pass of a layer takes twice its forward pass, half of it
/// for the gradient of the inputs. The sum is `iteration` to the picosecond. Throws InputError: a model without
/// multiplications.
std::vector<PassTimes> spread_time(const Model& model, Tick iteration);

struct TimeRow {
  std::string name;
  PassTimes times;
};

/// CSV: a header `Layer name, Forward, Input gradient, Weight gradient` with or without `Update`, then a row for each layer
/// in forward order, in milliseconds. Throws InputError `where:line: what; what is legal`.
std::vector<TimeRow> parse_time_table(const std::string& text, const std::string& where);

/// A file of that kind, whose rows are those of the model. Throws InputError.
std::vector<PassTimes> read_time_table(const std::string& path, const Model& model);

}  // namespace tributary::training
