#pragma once
/// Task graphs out of files.

#include <fstream>
#include <string>
#include <vector>

#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// The graph of a file, or of the files PREFIX.0.et, PREFIX.1.et, ... Its content tells what it is: the project's own YAML,
/// an ASTRA-sim text workload, a Chakra trace (docs/training_graphs.md). Throws InputError: one line with file, and line or
/// byte. What is read is not yet proved to run: see `check`.
TaskGraph read_graph(const std::string& path, const ReadOptions& options = {});

/// The same for a text; `path` stands in front of errors. A trace stands for all ranks.
TaskGraph read_graph_text(const std::string& text, const std::string& path, const ReadOptions& options = {});

/// Files of Chakra traces: the one of that name, or PREFIX.0.et, PREFIX.1.et, ... Throws InputError when one between them
/// lacks.
std::vector<std::string> trace_files(const std::string& path);
/// One of these. Throws InputError when it cannot be read, or is something else.
std::ifstream open_trace(const std::string& path);

}  // namespace tributary::training
