#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "modules/base/probe.h"

namespace tributary {

/// Counts the strobes of all signal probes that a glob selects, under one name. Must outlive their last firing.
class SignalCounters {
 public:
  struct Counter {
    std::string name;
    std::uint64_t count = 0;
  };
  void add(const ProbeDirectory& probes, const std::string& glob, std::string name) {
    counters_.push_back({std::move(name), 0});
    Counter* counter = &counters_.back();
    probes.for_each<SignalProbe>([&](const std::string& probe_name, SignalProbe& probe) {
      if (glob_match(glob, probe_name))
        probe.attach(counter, [](void* c, Tick, std::uint64_t) { ++static_cast<Counter*>(c)->count; });
    });
  }
  const std::deque<Counter>& counters() const { return counters_; }
  void reset() {
    for (Counter& c : counters_) c.count = 0;
  }

 private:
  std::deque<Counter> counters_;  // stable addresses: the probes keep them
};

}  // namespace tributary
