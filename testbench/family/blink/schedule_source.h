#pragma once

#include "testbench/run/schedule_source.h"

namespace tributary {

/// Trees packed into the NVLinks of a server (docs/systems/blink.md).
const ScheduleSource& blink_schedules();

}  // namespace tributary
