#pragma once
/// What of a run over time is asked for: a page, a timeline.

#include "testbench/cli/requests/run_request.h"

namespace tributary {

/// After the globs of --trace. Throws InputError.
void set_record(const Settings& settings, RunRequest& request);

}  // namespace tributary
