#pragma once

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Checks that every output file can be written, that no two outputs share a file, and that at most one is standard output.
/// Leaves no new file. Throws InputError.
void check_outputs(const Settings& settings);

}  // namespace tributary
