#pragma once
/// The block that a run follows: that of --trace-block, or the first block if events are logged.

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Parses --trace-block, `62` or `62:3`, if it is given. Throws InputError.
void set_block(const Settings& settings, RunSpec& spec);
/// Selects block 0 for the log of events if --trace-block is absent and the platform has blocks.
void follow_first_block(const Settings& settings, RunSpec& spec);

}  // namespace tributary
