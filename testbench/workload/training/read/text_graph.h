#pragma once
/// An ASTRA-sim text workload as a task graph.

#include <string>

#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/read/text_workload.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Passes run, and wait for collectives, as in ASTRA-sim 1.0 (astra-sim/workload/Workload.cc); all ranks do the same.
/// Forward of a layer waits for the collectives of the layer before, and for its own update of the iteration before. The
/// update begins when the gradients are reduced, beside what is computed. Collectives begin in the order in which they are
/// ready. `path`: in front of errors. Throws InputError.
TaskGraph graph_of_text(const TextWorkload& workload, const ReadOptions& options, const std::string& path);

}  // namespace tributary::training
