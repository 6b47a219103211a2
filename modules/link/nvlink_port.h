#pragma once
/// LinkPort: a port of the NVLink-like protocol.

#include "modules/link/core/nvlink_links.h"
#include "modules/link/link_port.h"

namespace tributary {

using LinkPort = BasicLinkPort<NvLink>;

}  // namespace tributary
