#pragma once
/// Effort of a message by packets: an estimate from its first part, so that a run of hours says so after seconds.

#include <cstdint>
#include <optional>
#include <string>

#include "modules/base/units.h"

namespace tributary {

/// A part of a message that has run.
struct MessagePart {
  std::uint64_t hops = 0;  ///< packets over all links
  Tick elapsed = 0;        ///< simulated time
  double whole = 0;        ///< shortest simulated time of the message, ps: that of its bound; 0: unknown
};

/// Packet-hops of a processor in a second (docs/performance.md), which make hops a time.
inline constexpr double hops_per_second = 4e6;

/// Returns the packet-hops that the message needs at the pace of its first part. None before it begins, and for a message
/// without a bound. The message cannot end before its bound, so it needs at least as many.
std::optional<double> expected_hops(const MessagePart& part);

/// Returns the reason why the message is given up; empty if it fits into `patience`, or if the part is too short to tell:
/// below 40 million packet-hops, or below half of what `patience` allows. `flows`: its platform has --mode fluid.
std::string beyond_patience(const MessagePart& part, Time patience, bool flows);

}  // namespace tributary
