#pragma once
/// Options that compare and record blocks: --shadow, --record-block.

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Adds the taps of these options to the blocks of a run. Throws InputError.
void set_block_checks(const Settings& settings, RunSpec& spec);

}  // namespace tributary
