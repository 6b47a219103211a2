#pragma once

#include "testbench/cli/requests/schedule_request.h"

namespace tributary {

/// Builds, proves and prints a schedule. Returns the exit code. Throws InputError if the topology does not support it.
int schedule_command(const ScheduleRequest& request);

}  // namespace tributary
