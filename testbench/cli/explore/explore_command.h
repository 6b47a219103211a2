#pragma once

#include "testbench/cli/explore/explore_request.h"

namespace tributary {

/// Explores a design space. Returns the exit code.
int explore_command(const ExploreRequest& request);

}  // namespace tributary
