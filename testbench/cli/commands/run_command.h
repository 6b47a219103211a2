#pragma once

#include "testbench/cli/requests/run_request.h"

namespace tributary {

/// Simulates every message and writes the results. Returns the exit code. Throws InputError or SetupError before the
/// simulation starts, and other exceptions if it could not finish.
int run_command(const RunRequest& request);

}  // namespace tributary
