#pragma once
/// Checks of runs in which a block with pins in kernel time decides.

#include "testbench/test/harness/mode_check.h"

namespace tributary {

/// Checks that both modes of a run with pins are the run of the model: to the picosecond and the last packet.
void check_pins(const RunSpec& pins, const RunSpec& model);

}  // namespace tributary
