#pragma once
/// Converts the calls of recorded processes to a task graph: the collectives of each stream in order, and the computation
/// between them, if it is recorded.

#include <string>
#include <vector>

#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/read/recorded_calls.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Each rank makes its own calls if there is a process for each rank and the members of each communicator are known, and in
/// any case if all of several processes state their rank. Otherwise the first process represents all ranks: a communicator
/// of some ranks has the counterparts that cover the other ranks with the same stride, or consecutive ranks if its members
/// are unknown. Warnings say both. Throws InputError: `place: what`. `options.compute_gap` is computation between the calls
/// of a stream, if none is recorded.
TaskGraph graph_of_calls(const std::vector<RecordedProcess>& processes, const ReadOptions& options, const std::string& path);

}  // namespace tributary::training
