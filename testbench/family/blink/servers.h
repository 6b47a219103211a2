#pragma once

#include "platforms/blink/platform_params.h"
#include "platforms/topology/server_graph.h"

namespace tributary {

/// The machine of that name, with the NICs that the parameters say. Throws SetupError, std::invalid_argument.
topology::ServerGraph servers_of(const std::string& platform, const BlinkPlatformParams& params);

}  // namespace tributary
