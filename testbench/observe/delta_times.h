#pragma once
/// DeltaTimes: the time during which sums of changes are above a threshold.

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "modules/base/probe.h"

namespace tributary {

/// Sums the changes of each probe that a glob selects (SignalKind::delta). The times of increases do not decrease, and
/// neither do those of decreases, which may be ahead. Must outlive the last firing.
class DeltaTimes {
 public:
  struct Sum {
    std::string name;
    std::int64_t above = 0;  ///< counts the time in which the sum is larger

    /// Returns the time until `end` [ps].
    Tick until(Tick end) const;
    void change(Tick when, std::int64_t by);
    void clear();

   private:
    void set(Tick when, std::int64_t by);

    std::int64_t sum_ = 0;
    Tick time_ = 0, since_ = never;                        // completed intervals; start of the current one
    std::deque<std::pair<Tick, std::int64_t>> decreases_;  // ahead of the last increase
  };

  void add(const ProbeDirectory& probes, const std::string& glob, std::int64_t above);
  void reset();
  const std::deque<Sum>& sums() const { return sums_; }

 private:
  std::deque<Sum> sums_;  // stable addresses
};

}  // namespace tributary
