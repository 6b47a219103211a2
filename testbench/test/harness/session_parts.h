#pragma once

#include "platforms/nvswitch/nvswitch_platform.h"
#include "testbench/run/session.h"

namespace tributary {

/// Returns the GPUs and switches of a session. Throws std::bad_cast if its platform has none.
inline NvSwitchPlatform& nvswitch_of(Session& session) { return dynamic_cast<NvSwitchPlatform&>(session.platform()); }

}  // namespace tributary
