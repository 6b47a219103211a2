#pragma once
/// WireLatency: packet latency without the source queue.

#include <unordered_map>

#include "modules/packet/packet_view.h"
#include "testbench/observe/latency_histogram.h"

namespace tributary {

/// Measures from the start of a packet's first serialisation to the delivery of its last flit. Must outlive the probes'
/// last firing.
class WireLatency {
 public:
  WireLatency() = default;
  WireLatency(const WireLatency&) = delete;
  WireLatency& operator=(const WireLatency&) = delete;

  /// Attaches to `made` of the platform's packets, as packet storage is reused, even for packets with the same birth
  /// time.
  void attach_made(Probe<const void*>& made);
  /// Attaches to `sent` of every link of the platform.
  void attach_sent(PacketProbe& sent);
  /// Attaches to a probe that fires with the delivery time of a packet's last flit.
  void attach_delivered(PacketProbe& delivered);

  const LatencyHistogram& histogram() const { return histogram_; }
  void reset();

 private:
  struct Start {
    Tick born = never;  ///< a table converts an operand into a result, which gets a new birth time
    Tick sent = 0;
  };

  std::unordered_map<const void*, Start> starts_;  // only looked up, never iterated over
  LatencyHistogram histogram_;
};

}  // namespace tributary
