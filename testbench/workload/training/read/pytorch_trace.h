#pragma once
/// Collectives in traces of PyTorch: execution traces (ExecutionTraceObserver) and traces of the profiler (Kineto). Both are
/// JSON of one rank.
///
///     {"schema": "1.1.1-chakra.0.0.4", "nodes": [{"id": 7, "name": "record_param_comms", "attrs": [{"name":
///     "collective_name", "value": "allreduce"}, {"name": "in_msg_nelems", "value": 1024}, ...]}, ...]}
///     {"traceEvents": [{"cat": "kernel", "ts": 1, "args": {"Collective name": "allreduce", "In msg nelems": 1024, ...}},
///     ...]}

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

/// True for the begin of a JSON object.
bool begins_pytorch_trace(const std::string& begin);

/// Reads the collectives: of an execution trace in the order of the numbers of nodes, of a profiler's trace in the order of
/// the kernels, or of the operators if it has no kernels. Barriers, waits and collectives of one rank are skipped, and
/// counted in a warning. The kernels of a profiler's trace also give the time of computation. `step`: number of the only
/// step that is read from it (`ProfilerStep#N`); none: the whole trace. Throws InputError: `path: node 7: what`.
RecordedProcess read_pytorch_trace(std::istream& file, const std::string& path, std::optional<std::uint64_t> step = {});

}  // namespace tributary::training
