#pragma once
/// Shared by the writers of timelines: order of the marks, and annotations of events.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "testbench/record/timeline.h"

namespace tributary {

/// The beginning or the end of an event.
struct TimelineMark {
  Tick time;  ///< in units
  /// True for a beginning and for the end of an event without length: sorted after all other ends of that time.
  bool behind;
  std::size_t event;
  bool begins;
};
/// Returns marks with ends before beginnings of the same time, so that adjacent slices do not nest. `unit`: in ps;
/// times are rounded down.
std::vector<TimelineMark> marks_of(const Timeline& timeline, Tick unit);

/// Keys of notes_of().
inline constexpr std::array<const char*, 3> annotation_names{"block", "source", "bytes"};

/// Returns the annotations of a slice or instant that exist among block, source and bytes, by index in
/// annotation_names.
std::vector<std::pair<std::size_t, std::uint64_t>> notes_of(const TimelineEvent& event);

}  // namespace tributary
