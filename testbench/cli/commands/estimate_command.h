#pragma once

#include "testbench/cli/requests/estimate_request.h"

namespace tributary {

/// Prints what the equations and the flow model give; returns the exit code.
int estimate_command(const EstimateRequest& request);

}  // namespace tributary
