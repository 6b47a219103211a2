#pragma once
/// Converts an ASTRA-sim text workload to a task graph.

#include <string>

#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/read/text_workload.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Builds the graph. Passes run and wait for collectives as in ASTRA-sim 1.0 (astra-sim/workload/Workload.cc); all ranks do
/// the same. Forward of a layer waits for the collectives of the previous layer, and for its own update of the previous
/// iteration. The update begins when the gradients are reduced, in parallel with compute. Collectives begin in the order in
/// which they become ready. Errors begin with `path`. Throws InputError.
TaskGraph graph_of_text(const TextWorkload& workload, const ReadOptions& options, const std::string& path);

}  // namespace tributary::training
