#pragma once
/// The jobs of a run, from its settings.

#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Makes each job as if it were alone, from its own keys and the keys that hold for all jobs. Throws InputError.
void set_jobs(const Settings& settings, InputFiles& files, RunSpec& spec);

}  // namespace tributary
