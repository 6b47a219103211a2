#pragma once

#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {

/// Runs, lists or joins the points of a sweep. Returns the worst exit code of its points. Throws InputError before any point
/// runs.
int sweep_command(const SweepRequest& request);

}  // namespace tributary
