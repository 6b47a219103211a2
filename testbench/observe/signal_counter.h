#pragma once
/// SignalCounters: counts strobes of signal probes.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/probe.h"

namespace tributary {

/// Counts the strobes of all signal probes that a glob selects, under one name per glob. Must outlive their last
/// firing.
class SignalCounters {
 public:
  struct Counter {
    std::string name;
    std::uint64_t count = 0;
  };
  struct Selection {
    std::string glob;
    std::string name;
  };
  /// Adds one counter per selection, in one pass over the probes, as these are numerous.
  void add(const ProbeDirectory& probes, const std::vector<Selection>& selections) {
    const std::size_t first = counters_.size();
    for (const Selection& s : selections) counters_.push_back({s.name, 0});
    probes.for_each<SignalProbe>([&](const std::string& probe_name, SignalProbe& probe) {
      for (std::size_t i = 0; i < selections.size(); ++i)
        if (glob_match(selections[i].glob, probe_name))
          probe.attach(&counters_[first + i], [](void* c, Tick, std::uint64_t) { ++static_cast<Counter*>(c)->count; });
    });
  }
  const std::deque<Counter>& counters() const { return counters_; }
  void reset() {
    for (Counter& c : counters_) c.count = 0;
  }

 private:
  std::deque<Counter> counters_;  // stable addresses, as the probes keep pointers to them
};

}  // namespace tributary
