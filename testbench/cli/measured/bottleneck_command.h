#pragma once

#include <CLI/CLI.hpp>

#include "testbench/cli/measured/bottleneck_request.h"

namespace tributary {

/// Adds the command `bottleneck`. `options` outlives the parse.
CLI::App* add_bottleneck(CLI::App& app, BottleneckOptions& options);
/// Searches for the bottleneck of each set-up. Returns the exit code.
int bottleneck_command(const BottleneckRequest& request);

}  // namespace tributary
