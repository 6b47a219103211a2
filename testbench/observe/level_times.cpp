#include "testbench/observe/level_times.h"

namespace tributary {

void LevelTimes::Level::set(Tick now, std::uint64_t value) {
  ++changes;
  if (value > largest) largest = value;
  if (since != never && now > since) time += now - since;
  since = value >= bounds.low && value <= bounds.high ? now : never;
}

const LevelTimes::Group& LevelTimes::add(const ProbeDirectory& probes, const std::string& glob, Bounds bounds) {
  Group& group = groups_.emplace_back();
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    if (!glob_match(glob, name)) return;
    group.push_back({name, bounds});
    probe.attach(&group.back(),
                 [](void* level, Tick now, std::uint64_t value) { static_cast<Level*>(level)->set(now, value); });
  });
  return group;
}

void LevelTimes::reset() {
  for (Group& group : groups_)
    for (Level& level : group) level.time = 0, level.since = never, level.changes = level.largest = 0;
}

const LevelTimes::Level* longest(const LevelTimes::Group& group, Tick end) {
  const LevelTimes::Level* most = nullptr;
  for (const LevelTimes::Level& level : group)
    if (most == nullptr || level.until(end) > most->until(end)) most = &level;
  return most;
}

}  // namespace tributary
