#pragma once
/// What a run follows: --trace-block, and the first block where a log of events is asked for.

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Reads `62` or `62:3` where it is given. Throws InputError.
void set_block(const Settings& settings, RunSpec& spec);
/// A log of events needs something to follow: without --trace-block, block 0, on platforms that have blocks.
void follow_first_block(const Settings& settings, RunSpec& spec);

}  // namespace tributary
