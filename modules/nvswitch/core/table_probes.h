#pragma once
/// TableProbes: probes that every reduction table shows under the same names.

#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/packet/reduction_event.h"

namespace tributary {

/// Strobes carry the block number (address / 128). `stalls`: a first-hop pull got no entry. `misses`: a packet bypassed the
/// table.
struct TableProbes {
  SignalProbe allocations, merges, completions, evictions, timeouts, stalls, misses;
  SignalProbe occupancy_probe;
  /// Events of each entry: operands and partial sums.
  ReductionProbe events;

  /// `entries`: number of entries that may be shown separately.
  void describe(ProbeDirectory& directory, const std::string& prefix, std::uint32_t entries);
};

}  // namespace tributary
