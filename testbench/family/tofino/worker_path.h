#pragma once
/// WorkerPath: times of a worker's packets and their results on an idle programmable switch (docs/bottleneck.md).

#include <cstdint>
#include <vector>

#include "platforms/tofino/tofino_platform.h"
#include "testbench/run/bottleneck.h"

namespace tributary {

/// Packets of a worker pass its software, its port and the pipelines of the switch, one after another. A packet may be sent
/// when the packet that used its slot before has a result. With shared exponents, packets without values precede the
/// others, one in each slot.
class WorkerPath {
 public:
  WorkerPath(AggregationScheme scheme, const TofinoPlatformParams& params, std::uint64_t message_bytes);

  /// Returns the packets of a worker, and the number of them that may be in flight.
  double packets() const { return packets_; }
  double window() const { return window_; }
  /// Returns the parameter of the window; empty if the message has too few packets to fill it.
  const char* window_parameter() const { return window_parameter_; }
  /// Returns the time in which a port of the switch passes all packets of the worker, ps.
  double passing() const { return passing_; }
  /// Returns the time of the worker's software for a packet, ps.
  double packet_time() const { return static_cast<double>(config_.worker.packet_time); }
  /// Returns the time of a packet in the slowest of software, link and pipelines, ps.
  double interval() const { return interval_; }
  /// Returns the time from a packet to its result, ps.
  double round_trip() const;
  /// Returns the round trips that follow one another. The packets of a short message wait once for the results of the
  /// packets without values.
  double round_trips() const;
  /// Returns the latencies of these round trips.
  std::vector<PathPart> parts() const;

 private:
  std::vector<PathPart> once() const;

  AggregationScheme scheme_;
  const TofinoPlatformParams& params_;
  TofinoScheme config_;
  double packets_ = 0, window_ = 0;
  const char* window_parameter_ = "";
  unsigned passes_ = 1;            ///< passages of a packet through its pipeline
  double wire_ = 0, passage_ = 0;  ///< times of a packet on the link and in the pipeline
  double passing_ = 0, interval_ = 0;
  double lead_ = 0;  ///< time in which the packets without values are sent
};

}  // namespace tributary
