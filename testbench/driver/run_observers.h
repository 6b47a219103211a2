#pragma once
/// What a session observes on every run: links, latencies, table events, and on demand the trajectory.

#include <optional>

#include "platforms/nvswitch_system.h"
#include "testbench/driver/run_spec.h"
#include "testbench/observe/link_usage.h"
#include "testbench/observe/packet_latency.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/observe/wire_latency.h"

namespace tributary {

class RunObservers {
 public:
  RunObservers(const NvSwitchSystem& system, const ProbeDirectory& probes, const RunSpec& spec);

  void reset(Tick t0);
  /// Links, wire bytes, counters. `t0` to `end` is the measured time.
  void fill(ResultRow& row, Tick t0, Tick end) const;

  std::uint64_t packet_hops() const { return usage_.total_packets(); }
  /// Deliveries, merges, completions: what a watchdog takes for progress.
  std::uint64_t progress() const;
  const TrajectoryHash& trajectory() const { return trajectory_; }

 private:
  void observe_wires(const NvSwitchSystem& system, const ProbeDirectory& probes);

  const NvSwitchSystem& system_;
  LinkUsage usage_;
  PacketLatency latency_;
  std::optional<WireLatency> wire_;
  SignalCounters counters_;
  TrajectoryHash trajectory_;
};

}  // namespace tributary
