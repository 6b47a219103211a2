#pragma once
/// Process groups of Chakra traces in a file of their own: a JSON object such as {"1": [0, 1], "2": [2, 3]}, as ASTRA-sim
/// reads it (--comm-group-configuration).

#include <string>
#include <vector>

#include "testbench/workload/training/read/chakra_file.h"

namespace tributary::training {

/// Returns the file of groups next to traces: PREFIX.json for PREFIX.0.et or PREFIX.et if it is an object of lists, else
/// comm_group.json in their folder; empty if there is neither. `path`: a trace, or the PREFIX of several.
std::string group_file_of(const std::string& path);

/// Reads a file of groups. Throws InputError: `path: what (legal: ...)`.
std::vector<ChakraGroup> read_group_file(const std::string& path);

}  // namespace tributary::training
