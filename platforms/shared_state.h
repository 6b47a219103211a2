#pragma once
/// module_with_shared_state: finds a module that one thread must run with all others.

#include <string>

namespace sc_core {
class sc_module;
}

namespace tributary {

/// Returns the name of a module with the facet SharedStatePart, in a platform or outside of all platforms; empty if there
/// is none.
std::string module_with_shared_state(const sc_core::sc_module& platform);

}  // namespace tributary
