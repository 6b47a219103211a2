#pragma once

#include "testbench/cli/commands/import_command.h"

namespace tributary {

/// Prints a summary of the Chakra traces of a file or PREFIX. Returns the exit code. Throws InputError.
int import_trace(const ImportRequest& request);

}  // namespace tributary
