#pragma once

#include "testbench/cli/measured/bottleneck_request.h"

namespace tributary {

/// Searches for the bottleneck of each set-up. Returns the exit code.
int bottleneck_command(const BottleneckRequest& request);

}  // namespace tributary
