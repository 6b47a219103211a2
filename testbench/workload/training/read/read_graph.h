#pragma once
/// Reads task graphs from files.

#include <string>

#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Reads the graph of a file, or of the files of all ranks (trace_files.h). The format is detected from the content:
/// Tributary's YAML, a text workload of ASTRA-sim or SimAI, a debug log of NCCL, a trace of PyTorch, or a Chakra trace
/// (docs/training_graphs.md). Throws InputError: one line with file, and line or byte. The graph is not proved to run; see
/// check(). A file that gzip has compressed is decompressed while it is read.
TaskGraph read_graph(const std::string& path, const ReadOptions& options = {});

/// Reads the graph of a text; errors begin with `path`. A trace represents all ranks.
TaskGraph read_graph_text(const std::string& text, const std::string& path, const ReadOptions& options = {});

}  // namespace tributary::training
