#pragma once

#include "testbench/cli/requests/schedule_request.h"

namespace tributary {

/// Builds, proves and prints a schedule; returns the exit code. Throws InputError when the topology cannot carry it.
int schedule_command(const ScheduleRequest& request);

}  // namespace tributary
