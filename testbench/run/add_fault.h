#pragma once
/// Scripted faults of a run, from their texts.

#include <string>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Adds a fault of a link, or of the frames on it. `graph`: Family::graph_of_run() of `spec`. Throws std::invalid_argument,
/// one line. resolve_parameters() refuses faults on platforms that do not model them.
void add_fault(RunSpec& spec, const std::string& text, const topology::Graph& graph);

}  // namespace tributary
