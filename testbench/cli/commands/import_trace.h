#pragma once

#include "testbench/cli/commands/import_command.h"

namespace tributary {

/// Prints what the Chakra traces of a file or PREFIX hold; returns the exit code. Throws InputError.
int import_trace(const ImportRequest& request);

}  // namespace tributary
