#pragma once
/// Trails: the arrows of a timeline. A trail follows one packet: from the event that caused it over its links to its
/// operand or arrival.

#include <cstdint>
#include <vector>

#include "testbench/record/timeline_event.h"

namespace tributary {

/// Each trail has a number that is equal in both modes, because it follows from the order of the events in time.
///
/// Within a block a packet is identified by its name and source. A packet on a link continues the earliest packet of
/// that identity which arrived at the sending device and has gone no further; if there is none, it is a copy of the
/// latest, which multicast sends to several ports. A packet that continues none begins at the latest completion,
/// eviction or timeout of an entry of its device or, if packets have arrived at the device since then, at the arrival
/// of the packet that it answers or passes on. An operand ends the trails of all packets from its source that have
/// arrived at its device.
class Trails {
 public:
  /// `events`: in order of time and track. `tracks`: [TimelineEvent::track].
  Trails(const std::vector<TimelineEvent>& events, const std::vector<TimelineTrack>& tracks);

  /// Returns the numbers of the trails of an event, in order of their ends. A trail has at least two events.
  std::vector<std::uint64_t> of(std::size_t event) const;

 private:
  struct Member {
    std::size_t event;
    std::uint64_t trail;
  };
  std::vector<Member> members_;  ///< sorted by event
};

}  // namespace tributary
