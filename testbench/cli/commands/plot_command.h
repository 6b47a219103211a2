#pragma once

#include "testbench/cli/requests/plot_request.h"

namespace tributary {

/// Draws, and returns the exit code. Throws InputError on tables that cannot be drawn so.
int plot_command(const PlotRequest& request);

}  // namespace tributary
