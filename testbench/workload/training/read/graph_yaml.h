#pragma once
/// Task graphs in Tributary's YAML form (docs/training_graphs.md). Reading a written graph returns an equal graph.

#include <ostream>
#include <string>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// True if a text begins such a file: its first key is `training_graph`.
bool begins_graph_yaml(const std::string& text);

/// Reads a graph. Errors begin with `path`. `ranks`: ranks of the run; 0: as in the file. Throws InputError: `path:line:
/// key ... (legal: ...)`.
TaskGraph read_graph_yaml(const std::string& text, const std::string& path, int ranks = 0);

/// Writes a graph with one line per task. Throws std::invalid_argument unless group 0 contains all ranks.
void write_graph_yaml(const TaskGraph& graph, std::ostream& out);

}  // namespace tributary::training
