#include "testbench/record/trace_event_writer.h"

#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "testbench/record/timeline_marks.h"
#include "testbench/record/trails.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;
using Kind = TimelineEvent::Kind;
using Role = TimelineEvent::Role;

/// Formats a trail's identifier as viewers read it: `0x12ab`.
std::string hexadecimal(std::uint64_t number) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

class TraceEvents {
 public:
  TraceEvents(std::ostream& out, const Timeline& timeline, bool nanoseconds)
      : out_(out),
        timeline_(timeline),
        trails_(timeline.events(), timeline.tracks()),
        unit_(nanoseconds ? 1000 : 1),
        places_(timeline.tracks().size()) {
    for (std::size_t i = 0; i < timeline.events().size(); ++i)
      if (binds(timeline.events()[i]))
        for (const std::uint64_t trail : trails_.of(i)) ends_.try_emplace(trail, std::array{i, i}).first->second[1] = i;
  }

  void write(const std::string& platform) {
    out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
    describe_tracks(platform);
    for (const TimelineMark& mark : marks_of(timeline_, unit_)) write(mark);
    out_ << "\n]}\n";
  }

 private:
  struct Place {
    int process = 0, track = 0;
  };

  void add(const Json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }
  void name(const char* kind, const Place& place, const std::string& text) {
    Json event{{"ph", "M"}, {"name", kind}, {"pid", place.process}};
    if (place.track > 0) event["tid"] = place.track;
    event["args"] = {{"name", text}};
    add(event);
  }
  void describe_tracks(const std::string& platform) {
    std::map<std::string, int> processes;
    const std::string unit = unit_ == 1 ? " (1 ns shown = 1 ps)" : "";
    int tracks = 0;
    for (const std::size_t i : timeline_.shown_tracks()) {
      const TimelineTrack& track = timeline_.tracks()[i];
      const auto [process, first] = processes.try_emplace(track.device, static_cast<int>(processes.size()) + 1);
      if (first) name("process_name", {process->second, 0}, platform + " " + track.device + unit);
      places_[i] = {process->second, ++tracks};
      if (!track.counter) name("thread_name", places_[i], track.name);
    }
  }

  void write(const TimelineMark& mark) {
    const TimelineEvent& e = timeline_.events()[mark.event];
    const Place& place = places_[e.track];
    Json event{{"ph", phase_of(e, mark)}};
    event["name"] = e.kind == Kind::counter ? timeline_.tracks()[e.track].name : timeline_.names()[e.name];
    event["pid"] = place.process, event["tid"] = place.track;
    event["ts"] = static_cast<double>(mark.time) / 1000.0;
    if (e.kind == Kind::instant) event["s"] = "t";
    if (e.kind == Kind::counter) event["args"] = {{"value", e.value}};
    // On both marks, as viewers match a beginning with an end of the same content.
    if (e.kind != Kind::counter) note(e, event);
    add(event);
    if (mark.begins && binds(e))
      for (const std::uint64_t trail : trails_.of(mark.event)) join(trail, mark, place);
  }
  /// True if a slice contains the event, as arrows lead from slice to slice: packets, and events of an entry.
  static bool binds(const TimelineEvent& e) { return e.role != Role::other && e.role != Role::arrival; }
  static const char* phase_of(const TimelineEvent& e, const TimelineMark& mark) {
    if (e.kind == Kind::counter) return "C";
    if (e.kind == Kind::instant) return "i";
    return mark.begins ? "B" : "E";
  }
  static void note(const TimelineEvent& e, Json& event) {
    Json notes;
    for (const auto& [key, value] : notes_of(e)) notes[annotation_names[key]] = value;
    if (!notes.empty()) event["args"] = std::move(notes);
  }
  /// Writes a point of an arrow, which belongs to the slice of its track at that time.
  void join(std::uint64_t trail, const TimelineMark& mark, const Place& place) {
    const std::array<std::size_t, 2>& ends = ends_.at(trail);
    if (ends[0] == ends[1]) return;
    Json event{{"ph", mark.event == ends[0] ? "s" : mark.event == ends[1] ? "f" : "t"}};
    event["cat"] = "trail", event["name"] = "trail", event["id"] = hexadecimal(trail);
    event["pid"] = place.process, event["tid"] = place.track;
    event["ts"] = static_cast<double>(mark.time) / 1000.0;
    if (mark.event == ends[1]) event["bp"] = "e";
    add(event);
  }

  std::ostream& out_;
  const Timeline& timeline_;
  Trails trails_;
  Tick unit_;
  std::vector<Place> places_;                                 ///< [track]
  std::map<std::uint64_t, std::array<std::size_t, 2>> ends_;  ///< by trail: indices of its first and last event
  bool first_ = true;
};

}  // namespace

void write_trace_events(std::ostream& out, const std::string& platform, const Timeline& timeline, bool nanoseconds) {
  TraceEvents(out, timeline, nanoseconds).write(platform);
}

}  // namespace tributary
