#pragma once
/// RunObservers: observes links, latencies and the family's counters in every run, and on request the trajectory.

#include <map>
#include <optional>
#include <string>

#include "modules/base/host/process_group.h"
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
  /// Fills in links, wire bytes and counters of the whole run from `t0` to `end`, and the packet latency of one job.
  void fill(ResultRow& row, std::size_t job, Tick t0, Tick end) const;

  /// Adds what the other processes have observed since the last reset. All processes make this call.
  void gather(ProcessGroup& group);

  std::uint64_t packet_hops() const { return usage_.total_packets(); }
  /// Returns the time at which the last packet has left its link; 0 without packets.
  Tick last_end() const;
  /// Returns the count of arrivals and of the other events that the family names; the watchdog takes its changes for
  /// progress.
  std::uint64_t progress() const;
  const TrajectoryHash& trajectory() const { return trajectory_; }

 private:
  void pack(ByteWriter& to) const;
  void add(ByteReader& from);
  std::map<std::string, double> counters() const;
  void fill_latencies(ResultRow& row, std::size_t job) const;
  void fill_background(ResultRow& row) const;
  void observe_other(const ProbeDirectory& probes, const ObservedProbes::Protocol& other);
  void observe_wires(const Platform& system, const ProbeDirectory& probes, const ObservedProbes& observed);

  const Platform& system_;
  std::vector<std::string> progress_;  ///< counters
  LinkUsage usage_;
  PacketLatency latency_;
  std::map<std::string, PacketLatency> other_latencies_;  ///< by protocol
  std::optional<PacketLatency> background_latency_;
  std::optional<WireLatency> wire_;
  SignalCounters counters_;
  TrajectoryHash trajectory_;
  std::map<std::string, double> gathered_;  ///< counters of the platform over all processes; empty: those of this process
};

}  // namespace tributary
