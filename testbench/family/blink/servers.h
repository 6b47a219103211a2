#pragma once

#include "platforms/blink/platform_params.h"
#include "platforms/topology/server_graph.h"

namespace tributary {

/// Returns the servers of that platform with the number and place of NICs in `params`. Throws SetupError and
/// std::invalid_argument.
topology::ServerGraph servers_of(const topology::PlatformDescription& platform, const BlinkPlatformParams& params);

}  // namespace tributary
