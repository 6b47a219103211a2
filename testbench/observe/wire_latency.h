#pragma once
/// WireLatency: packet latency without the source queue.

#include <unordered_map>
#include <vector>

#include "modules/packet/packet_view.h"
#include "testbench/observe/latency_histogram.h"

namespace tributary {

/// Measures from the start of a packet's first serialisation to the delivery of its last flit. In windows a link may run
/// later than others of its device, so a copy is delivered to the observer before an earlier copy is sent: deliveries are
/// recorded once the packet is gone. Must outlive the probes' last firing.
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

  LatencyHistogram histogram() const;
  void reset();

 private:
  struct Flight {
    /// Records the deliveries, and begins anew. A delivery without a start is not counted.
    void finish(LatencyHistogram& histogram);

    Tick born = never;  ///< a table converts an operand into a result, which gets a new birth time
    Tick sent = never;  ///< earliest start of any copy on any link
    std::vector<Tick> delivered = {};
  };
  Flight& flight_of(const PacketView& packet);

  std::unordered_map<const void*, Flight> flights_;  // by storage; the order has no effect on the sums
  LatencyHistogram histogram_;
};

}  // namespace tributary
