#pragma once
/// A task of a YAML graph, with references that are resolved after the rest of the file is read.

#include <string>
#include <utility>
#include <vector>

#include "testbench/workload/training/task_graph.h"
#include "testbench/workload/yaml_document.h"

namespace tributary::training {

/// An invalid value of a YAML graph and its line; the reader adds the file.
struct YamlFlaw {
  std::size_t line;
  std::string what;
};

struct YamlTask {
  Task task;
  std::string id;                  ///< empty: its index in the list
  std::string group;               ///< empty: all ranks
  std::vector<std::string> after;  ///< by id
};

/// Parses a task. Throws YamlFlaw.
YamlTask yaml_task(const YamlNode& node);

/// Returns the text in quotes, cut to 60 characters, for messages.
std::string shown(const std::string& text);

/// Parse values of a node, for tasks and for the rest of the file. Throw YamlFlaw.
const std::string& yaml_text(const YamlNode& node, const std::string& key);
std::uint64_t yaml_count(const YamlNode& node, const std::string& key, std::uint64_t least, std::uint64_t most);

}  // namespace tributary::training
