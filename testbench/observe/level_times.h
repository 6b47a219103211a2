#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "modules/base/probe.h"

namespace tributary {

/// How long levels lie within bounds: of each probe that a glob selects by itself. Must outlive their last firing.
class LevelTimes {
 public:
  struct Bounds {
    std::uint64_t low = 1, high = ~std::uint64_t{0};
    bool ended = false;  ///< count only stretches that have ended: not that in which the work is over
  };
  struct Level {
    std::string name;
    Bounds bounds;
    Tick time = 0;       ///< of stretches that have ended, since the last reset
    Tick since = never;  ///< when the present one began; never: there is none
    std::uint64_t changes = 0;
    std::uint64_t largest = 0;  ///< value

    /// Until `end`, in ps.
    Tick until(Tick end) const { return time + (!bounds.ended && since < end ? end - since : 0); }
    void set(Tick now, std::uint64_t value);
  };
  using Group = std::deque<Level>;

  /// Those that the glob selects, in order of their names. The reference stays valid.
  const Group& add(const ProbeDirectory& probes, const std::string& glob, Bounds bounds);
  void reset();

 private:
  std::deque<Group> groups_;  // stable addresses: the probes keep them
};

/// The one that lay within its bounds longest, the first of several; null of an empty group.
const LevelTimes::Level* longest(const LevelTimes::Group& group, Tick end);

}  // namespace tributary
