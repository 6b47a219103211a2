#pragma once
/// What writers of timelines share: the order of what they write, numbers of flows, what is noted of events.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "testbench/record/timeline.h"

namespace tributary {

/// An end or a beginning of an event.
struct TimelineMark {
  Tick time;    ///< in units
  bool behind;  ///< a beginning, and the end of what has no length: after all ends of that time
  std::size_t event;
  bool begins;
};
/// Ends before beginnings of the same time, so that slices that touch do not nest. Times in units of so many ps, rounded
/// down.
std::vector<TimelineMark> marks_of(const Timeline& timeline, Tick unit);

/// Keys of notes_of().
inline constexpr std::array<const char*, 3> annotation_names{"block", "source", "bytes"};

/// A number for a flow that is no small one.
std::uint64_t number_of(const PacketFlow& flow);
/// What is noted of a slice or instant, by place in annotation_names: its block, source and bytes, those that it has.
std::vector<std::pair<std::size_t, std::uint64_t>> notes_of(const TimelineEvent& event);

}  // namespace tributary
