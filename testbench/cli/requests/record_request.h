#pragma once
/// Requested records of a run over time: a page, a timeline.

#include "testbench/cli/requests/run_request.h"

namespace tributary {

/// Sets the record of the run. Call it after the globs of --trace are set. Throws InputError.
void set_record(const Settings& settings, RunRequest& request);

}  // namespace tributary
