#pragma once
/// WideProbe: a probe of a level that has more than 64 bits.

#include "modules/base/probe.h"

namespace tributary {

/// A level. Its bytes are little-endian, (bits + 7) / 8 of them, and valid during the call. The rows of its entry in a
/// ProbeDirectory are its bits.
using WideProbe = Probe<Tick, const std::uint8_t*>;

}  // namespace tributary
