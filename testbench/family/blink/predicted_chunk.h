#pragma once
/// predicted_chunk: the chunk size of a message whose chunks are neither set nor tuned (docs/systems/blink.md#codegen).

#include <optional>
#include <vector>

#include "platforms/blink/server_wires.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Returns the fastest chunk size by collective::ChunkModel, with the times and rates of the platform's GPUs and links.
/// `trees`: those of `all` on their paths. `read_trip`: from a request to its data, if copies read. Throws ScheduleError.
Bytes predicted_chunk(const std::vector<StreamTree>& trees, const TreeAlgorithm& algorithm, const JobSpec& job,
                      Bytes message, const JobTrees& all, const ServerWires& wires, std::optional<Time> read_trip);

}  // namespace tributary
