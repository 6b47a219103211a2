#pragma once
/// Converts a debug log of NCCL to a task graph: the collectives of each stream in order, without computation.

#include <string>
#include <vector>

#include "testbench/workload/training/read/nccl_log.h"
#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Each rank calls its own collectives if the log has all ranks, and messages of INIT with the members of each
/// communicator. Otherwise the first process represents all ranks; a communicator of some ranks then has consecutive ranks,
/// and warnings say both. Throws InputError: `path:line: what`.
TaskGraph graph_of_nccl_log(const std::vector<NcclProcess>& processes, const ReadOptions& options, const std::string& path);

}  // namespace tributary::training
