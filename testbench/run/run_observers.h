#pragma once
/// What a session observes on every run: links, latencies, the family's counters, and on demand the trajectory.

#include <optional>

#include "platforms/platform.h"
#include "testbench/observe/link_usage.h"
#include "testbench/observe/packet_latency.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/observe/wire_latency.h"
#include "testbench/run/family.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class RunObservers {
 public:
  RunObservers(const Platform& system, const ProbeDirectory& probes, const RunSpec& spec, const ObservedProbes& observed);

  void reset(Tick t0);
  /// Links, wire bytes, counters: of the whole run, which lasts from `t0` to `end`. Packet latency: of that job alone.
  void fill(ResultRow& row, std::size_t job, Tick t0, Tick end) const;

  std::uint64_t packet_hops() const { return usage_.total_packets(); }
  /// When the last packet has left its link; 0 without one.
  Tick last_end() const;
  /// Arrivals and what else the family names: what a watchdog takes for progress.
  std::uint64_t progress() const;
  const TrajectoryHash& trajectory() const { return trajectory_; }

 private:
  void fill_latencies(ResultRow& row, std::size_t job) const;
  void fill_background(ResultRow& row) const;
  void observe_wires(const Platform& system, const ProbeDirectory& probes, const ObservedProbes& observed);

  const Platform& system_;
  std::vector<std::string> progress_;  ///< counters
  LinkUsage usage_;
  PacketLatency latency_;
  std::optional<PacketLatency> background_latency_;
  std::optional<WireLatency> wire_;
  SignalCounters counters_;
  TrajectoryHash trajectory_;
};

}  // namespace tributary
