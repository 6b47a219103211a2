#pragma once
/// Blocks of a platform that plugins replace.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

class Family;

/// Returns the names of the family's blocks that the run replaces. A library may have the same block for two families, such
/// as their copy engines: that of the other family is left out. Throws SetupError for a block that the platform lacks.
std::vector<std::string> replaced_blocks(const Family& family, const RunSpec& spec);

}  // namespace tributary
