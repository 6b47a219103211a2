#pragma once
/// SignalCounters: counts strobes of signal probes.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/host/byte_stream.h"
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
    const std::size_t first = names_.size();
    for (const Selection& s : selections) names_.push_back(s.name);
    for (Stripe& of_lane : stripes_) of_lane.resize(names_.size());
    probes.for_each<SignalProbe>([&](const std::string& probe_name, SignalProbe& probe, unsigned lane) {
      for (std::size_t i = 0; i < selections.size(); ++i)
        if (glob_match(selections[i].glob, probe_name))
          probe.attach(&stripe(lane)[first + i], [](void* c, Tick, std::uint64_t) { ++*static_cast<std::uint64_t*>(c); });
    });
  }
  /// Returns the counters over all lanes.
  std::vector<Counter> counters() const {
    std::vector<Counter> sums;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      sums.push_back({names_[i], 0});
      for (const Stripe& of_lane : stripes_) sums.back().count += of_lane[i];
      if (!elsewhere_.empty()) sums.back().count += elsewhere_[i];
    }
    return sums;
  }
  void pack(ByteWriter& to) const {
    for (const Counter& c : counters()) to.put(c.count);
  }
  /// Adds the counts that pack() has written in another process, until the next reset.
  void add(ByteReader& from) {
    elsewhere_.resize(names_.size());
    for (std::uint64_t& count : elsewhere_) count += from.get<std::uint64_t>();
  }
  void reset() {
    for (Stripe& of_lane : stripes_)
      for (std::uint64_t& count : of_lane) count = 0;
    elsewhere_.clear();
  }

 private:
  /// The counts of one lane.
  using Stripe = std::deque<std::uint64_t>;
  Stripe& stripe(unsigned lane) {
    while (stripes_.size() <= lane) stripes_.emplace_back(names_.size());
    return stripes_[lane];
  }

  std::vector<std::string> names_;
  std::vector<std::uint64_t> elsewhere_;  // by name, of other processes; empty without them
  std::deque<Stripe> stripes_;            // by lane; stable addresses, as the probes keep pointers to the counts
};

}  // namespace tributary
