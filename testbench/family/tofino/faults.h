#pragma once
/// Which faults of frames can be asked for on a programmable switch.

#include "platforms/topology/tofino.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// SetupError on faults of frames that are not there, or on links that are not.
void check_faults(const RunSpec& spec, const topology::Tofino& machine);

}  // namespace tributary
