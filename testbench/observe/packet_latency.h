#pragma once

#include <string>

#include "modules/link/packet.h"
#include "testbench/observe/latency_histogram.h"

namespace tributary {

/// Latency of packets, from the request at the generator (source queue included) to the delivery of the last flit.
/// Must outlive the probes' last firing.
class PacketLatency {
 public:
  PacketLatency() = default;
  PacketLatency(const PacketLatency&) = delete;
  PacketLatency& operator=(const PacketLatency&) = delete;

  /// `delivered` fires with the delivery time of a packet's last flit.
  void attach(PacketProbe& delivered);
  /// Attaches to all packet probes that the glob matches; returns how many.
  std::size_t attach(const ProbeDirectory& probes, const std::string& glob = "*.delivered");

  const LatencyHistogram& histogram() const { return histogram_; }
  void reset() { histogram_.reset(); }

 private:
  LatencyHistogram histogram_;
};

}  // namespace tributary
