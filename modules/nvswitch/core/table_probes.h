#pragma once
/// The events of a reduction table, for observers: what every table shows under the same names.

#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/packet/reduction_event.h"

namespace tributary {

/// Strobes carry the block number (address / 128). `stalls`: a first-hop pull found no entry. `misses`: went past the
/// table.
struct TableProbes {
  SignalProbe allocations, merges, completions, evictions, timeouts, stalls, misses;
  SignalProbe occupancy_probe;
  /// What happens to each entry: its operands, its partial sum.
  ReductionProbe events;

  /// `entries`: so many may be shown one by one.
  void describe(ProbeDirectory& directory, const std::string& prefix, std::uint32_t entries);
};

}  // namespace tributary
