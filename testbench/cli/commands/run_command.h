#pragma once

#include "testbench/cli/requests/run_request.h"

namespace tributary {

/// Simulates every message and writes the results. Returns the exit code; throws InputError or SetupError before anything
/// has run, anything else when it could not be finished.
int run_command(const RunRequest& request);

}  // namespace tributary
