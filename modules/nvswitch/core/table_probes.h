#pragma once
/// The events of a reduction table, for observers: what every table shows under the same names.

#include <string>

#include "modules/base/probe.h"

namespace tributary {

/// Strobes carry the block number (address / 128).
struct TableProbes {
  SignalProbe allocations, merges, completions, evictions, timeouts, stalls, misses;
  SignalProbe occupancy_probe;

  void describe(ProbeDirectory& directory, const std::string& prefix);
};

}  // namespace tributary
