#include "testbench/record/timeline_marks.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tributary {

std::vector<TimelineMark> marks_of(const Timeline& timeline, Tick unit) {
  std::vector<TimelineMark> all;
  for (std::size_t i = 0; i < timeline.events().size(); ++i) {
    const TimelineEvent& e = timeline.events()[i];
    const Tick from = e.from / unit, to = e.to / unit;
    all.push_back({from, true, i, true});
    if (e.kind == TimelineEvent::Kind::slice) all.push_back({to, to == from, i, false});
  }
  std::stable_sort(all.begin(), all.end(), [](const TimelineMark& a, const TimelineMark& b) {
    return std::make_tuple(a.time, a.behind, a.event) < std::make_tuple(b.time, b.behind, b.event);
  });
  return all;
}

std::vector<std::pair<std::size_t, std::uint64_t>> notes_of(const TimelineEvent& event) {
  const std::uint64_t values[] = {event.flow.block, event.source, event.bytes == 0 ? TimelineEvent::none : event.bytes};
  std::vector<std::pair<std::size_t, std::uint64_t>> notes;
  for (std::size_t i = 0; i < std::size(values); ++i)
    if (values[i] != TimelineEvent::none) notes.emplace_back(i, values[i]);
  return notes;
}

}  // namespace tributary
