/// The only list of the schedule sources other than networks of NICs.
#include "testbench/run/schedule_source.h"

#include "testbench/family/blink/schedule_source.h"

namespace tributary {

const std::vector<const ScheduleSource*>& schedule_sources() {
  static const std::vector<const ScheduleSource*> all{&blink_schedules()};
  return all;
}

}  // namespace tributary
