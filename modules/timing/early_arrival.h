#pragma once
/// refuse_early: the error of a device to which something arrives before a time that it has taken as safe.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Throws std::logic_error: a `thing` (packet, credit) on `link` arrives at `first`, but the device may have run as if none
/// arrived before `safe`. Either the lookahead of the device is longer than the time in which another one affects it, or
/// the far end has broken the guarantee of an earlier call. The run would go on with wrong times.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_early(const char* thing, const std::string& link, Tick first, Tick safe);

}  // namespace tributary
