#pragma once
/// binding_parts(): the parameters on which the time of a chain depends (docs/bottleneck.md#chains).

#include <string>
#include <vector>

#include "testbench/run/bottleneck.h"

namespace tributary {

struct ChainPart {
  std::string parameter;
  double share = 0;  ///< fraction of the time of the run; 0 for a parameter that only prolongs waits of others
};

/// Returns the parameters on which most of the time of the chain depends, the longest part first. A part of a chain may be a
/// wait that other parameters prolong: its time depends on its own parameter and on theirs. Named are all parameters whose
/// dependent time is within `bottleneck_path_apart` of the most, waits that depend on one of them for more than this, and
/// the parameters that share most of a named wait.
std::vector<ChainPart> binding_parts(const BottleneckAccount& account);

}  // namespace tributary
