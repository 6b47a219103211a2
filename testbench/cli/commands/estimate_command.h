#pragma once

#include "testbench/cli/requests/estimate_request.h"

namespace tributary {

/// Prints the results of the equations and the flow model. Returns the exit code.
int estimate_command(const EstimateRequest& request);

}  // namespace tributary
