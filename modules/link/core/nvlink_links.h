#pragma once
/// Transmitters and outgoing links of the NVLink-like protocol, for the cores of its devices.

#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

using NvLinkTransmitter = BasicLinkTransmitter<NvLink>;
template <unsigned max_ports>
using NvLinksOf = BasicOutgoingLinks<NvLink, max_ports>;
using NvOutgoingLinks = NvLinksOf<max_word_ports>;

}  // namespace tributary
