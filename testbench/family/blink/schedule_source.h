#pragma once

#include "testbench/run/schedule_source.h"

namespace tributary {

/// Returns the source of trees that are packed into the NVLinks of a server (docs/systems/blink.md).
const ScheduleSource& blink_schedules();

}  // namespace tributary
