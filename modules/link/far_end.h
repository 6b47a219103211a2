#pragma once
/// far_end_of: the module at the far end of a link, for error messages.

#include <string>

#include "modules/link/link_protocol.h"

namespace tributary {

/// Returns the hierarchical name of the module whose target socket is bound to `out`: a port, or a monitor on the link.
/// Searches the whole hierarchy. Call after elaboration.
std::string far_end_of(const LinkInitiator& out);

}  // namespace tributary
