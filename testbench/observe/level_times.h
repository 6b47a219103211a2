#pragma once
/// LevelTimes: the time during which the levels of probes are within bounds.

#include <cstdint>
#include <deque>
#include <string>

#include "modules/base/probe.h"

namespace tributary {

/// Accumulates the time separately for each probe that a glob selects. Must outlive the last firing.
class LevelTimes {
 public:
  struct Bounds {
    std::uint64_t low = 1, high = ~std::uint64_t{0};
    bool ended = false;  ///< count only completed intervals, not the interval in which the work ends
  };
  struct Level {
    std::string name;
    Bounds bounds;
    Tick time = 0;       ///< completed intervals since the last reset
    Tick since = never;  ///< start of the current interval; never: none
    std::uint64_t changes = 0;
    std::uint64_t largest = 0;  ///< largest value

    /// Returns the time until `end` [ps].
    Tick until(Tick end) const { return time + (!bounds.ended && since < end ? end - since : 0); }
    void set(Tick now, std::uint64_t value);
  };
  using Group = std::deque<Level>;

  /// Adds the probes that the glob selects, in the order of their names. The reference remains valid.
  const Group& add(const ProbeDirectory& probes, const std::string& glob, Bounds bounds);
  void reset();

 private:
  std::deque<Group> groups_;  // stable addresses, as the probes keep pointers to them
};

/// Returns the level that was within its bounds longest, the first of several; null for an empty group.
const LevelTimes::Level* longest(const LevelTimes::Group& group, Tick end);

}  // namespace tributary
