#pragma once

#include <vector>

#include "modules/base/units.h"
#include "modules/packet/packet_view.h"
#include "modules/packet/reduction_event.h"
#include "testbench/record/timeline.h"

namespace tributary {

/// Assigns packets and entries of reduction tables to the trails of a timeline. By default a trail is a block, which belongs
/// to one job alone.
class DriverTimeline {
 public:
  virtual ~DriverTimeline() = default;

  virtual PacketTrail trail_of(const PacketView& packet) const { return {packet.address / block_bytes}; }
  virtual PacketTrail trail_of_entry(const ReductionEvent& event) const { return {event.block}; }
  /// Returns the reduction state that has no ReductionProbe in the directory; the driver keeps it.
  virtual std::vector<EntrySource> entries(const ProbeDirectory&) { return {}; }
};

}  // namespace tributary
