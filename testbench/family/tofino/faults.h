#pragma once
/// Faults of frames on a programmable switch.

#include "platforms/topology/tofino.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Throws SetupError on faults of frames that do not exist, or on unknown links.
void check_faults(const RunSpec& spec, const topology::Tofino& machine);

}  // namespace tributary
