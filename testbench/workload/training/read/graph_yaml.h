#pragma once
/// Task graphs in a YAML form of their own (docs/training_graphs.md). What is written is read again equal.

#include <ostream>
#include <string>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Whether a text begins such a file: its first key is `training_graph`.
bool begins_graph_yaml(const std::string& text);

/// `path` stands in front of errors; `ranks`: of the run, 0: as the file says. Throws InputError: `path:line: key ...
/// (legal: ...)`.
TaskGraph read_graph_yaml(const std::string& text, const std::string& path, int ranks = 0);

/// One line for each task. Group 0 is that of all ranks. Throws std::invalid_argument when it is not.
void write_graph_yaml(const TaskGraph& graph, std::ostream& out);

}  // namespace tributary::training
