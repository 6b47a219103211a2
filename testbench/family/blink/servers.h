#pragma once

#include "platforms/blink/platform_params.h"
#include "platforms/topology/server_graph.h"

namespace tributary {

/// Returns blink.net.nics, or its automatic value. Throws std::invalid_argument.
std::uint32_t nics_of(const topology::PlatformDescription& platform, const BlinkPlatformParams& params);
/// Returns the servers of that platform with the number and place of NICs in `params`. Throws SetupError and
/// std::invalid_argument.
topology::ServerGraph servers_of(const topology::PlatformDescription& platform, const BlinkPlatformParams& params);

}  // namespace tributary
