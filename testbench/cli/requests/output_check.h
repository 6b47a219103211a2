#pragma once

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Checks the files of a command (file_options.h): every output can be written, no output is an input or another output,
/// and at most one is standard output. Files are compared, not their names. Leaves no new file. Throws InputError.
void check_outputs(const Settings& settings);

}  // namespace tributary
