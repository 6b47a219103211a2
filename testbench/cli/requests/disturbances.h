#pragma once
/// Background traffic and faults of a run, from its settings.

#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Parses `uniform:0.2` or, on platforms with incast, `incast:0.5@3`. Throws InputError.
void set_background(const Settings& settings, RunSpec& spec);
/// Parses the faults of links or frames. Throws InputError.
void set_faults(const Settings& settings, RunSpec& spec);

}  // namespace tributary
