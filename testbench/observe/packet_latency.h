#pragma once
/// PacketLatency: histograms of packet latency.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/packet/packet_view.h"
#include "testbench/observe/latency_histogram.h"

namespace tributary {

/// Latency is measured from the request at the generator (source queue included) to the delivery of the last flit. Must
/// outlive the probes' last firing.
class PacketLatency {
 public:
  PacketLatency() = default;
  PacketLatency(const PacketLatency&) = delete;
  PacketLatency& operator=(const PacketLatency&) = delete;

  /// `delivered` fires with the delivery time of a packet's last flit, on the thread of `lane`.
  void attach(PacketProbe& delivered, unsigned lane = 0);
  /// Attaches to all packet probes that the glob matches, and returns their number.
  std::size_t attach(const ProbeDirectory& probes, const std::string& glob = "*.delivered");

  /// Separates packets into classes by sending GPU (for a packet from a table: the GPU of its first operand).
  void classify(std::vector<std::uint8_t> class_of_gpu);

  /// Returns the histogram of a class, over all lanes.
  LatencyHistogram histogram(std::size_t of_class = 0) const;
  /// Returns the number of packets of all classes.
  std::uint64_t count() const;
  void reset();
  /// Writes the histograms of all classes.
  void pack(ByteWriter& to) const;
  /// Adds the histograms that pack() has written in another process, until the next reset.
  void add(ByteReader& from);

 private:
  /// The packets of one lane.
  struct Stripe {
    PacketLatency* all;
    std::vector<LatencyHistogram> histograms;  ///< by class
  };
  Stripe& stripe(unsigned lane);

  std::size_t classes_ = 1;
  std::vector<LatencyHistogram> elsewhere_;  // by class, of other processes; empty without them
  std::deque<Stripe> stripes_;               // by lane; stable addresses, as the probes keep pointers to them
  std::vector<std::uint8_t> class_of_gpu_;   // empty: one class
};

}  // namespace tributary
