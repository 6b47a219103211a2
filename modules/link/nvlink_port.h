#pragma once
/// NvLinkPort: a port of the NVLink-like protocol.

#include "modules/link/core/nvlink_links.h"
#include "modules/link/link_port.h"

namespace tributary {

using NvLinkPort = BasicLinkPort<NvLink>;

}  // namespace tributary
