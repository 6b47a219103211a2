#pragma once
/// Links of the NVLink-like protocol, as the cores of its devices see them.

#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

using NvLinkTransmitter = BasicLinkTransmitter<NvLink>;
using NvOutgoingLinks = BasicOutgoingLinks<NvLink>;

}  // namespace tributary
