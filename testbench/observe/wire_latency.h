#pragma once

#include <unordered_map>

#include "modules/packet/packet_view.h"
#include "testbench/observe/latency_histogram.h"

namespace tributary {

/// Latency of packets from the start of their first serialisation to the delivery of their last flit: what is left of the
/// packet latency without the queue at the source. Must outlive the probes' last firing.
class WireLatency {
 public:
  WireLatency() = default;
  WireLatency(const WireLatency&) = delete;
  WireLatency& operator=(const WireLatency&) = delete;

  /// `made` of the platform's packets: storage is used again, for packets of the same birth, too.
  void attach_made(Probe<const void*>& made);
  /// `sent` of every link of the platform.
  void attach_sent(PacketProbe& sent);
  /// Fires with the delivery time of a packet's last flit.
  void attach_delivered(PacketProbe& delivered);

  const LatencyHistogram& histogram() const { return histogram_; }
  void reset();

 private:
  struct Start {
    Tick born = never;  ///< a table makes an operand a result, which is born anew
    Tick sent = 0;
  };

  std::unordered_map<const void*, Start> starts_;  // looked up, never walked through
  LatencyHistogram histogram_;
};

}  // namespace tributary
