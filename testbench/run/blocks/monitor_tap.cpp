#include "testbench/run/blocks/monitor_tap.h"

#include <algorithm>

namespace tributary {

bool MonitorTap::wants(const std::string& block) const {
  return blocks_.empty() || std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
}

void MonitorTap::end(Tick now, bool complete) {
  for (const auto& monitor : monitors_) monitor->finish(now, complete);
}

}  // namespace tributary
