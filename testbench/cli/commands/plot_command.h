#pragma once

#include "testbench/cli/requests/plot_request.h"

namespace tributary {

/// Draws the figure. Returns the exit code. Throws InputError if the table does not allow the figure.
int plot_command(const PlotRequest& request);

}  // namespace tributary
