#pragma once

#include <string>

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Checks the files of a command (file_options.h): every output can be written, no output is an input or another output,
/// and at most one is standard output. Files are compared, not their names. Leaves no new file. Throws InputError.
void check_outputs(const Settings& settings);
/// Refuses a file that a command writes under a name of its own if it is an input. `option`: the one to be changed. Throws
/// InputError.
void check_no_input(const Settings& settings, const Setting& option, const std::string& path);

}  // namespace tributary
