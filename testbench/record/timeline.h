#pragma once
/// Timeline: all packets on links and all activity of devices and tables, with trails of blocks, for Perfetto
/// (https://perfetto.dev) and other viewers.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/directed_link.h"
#include "modules/packet/packet_view.h"
#include "modules/packet/reduction_event.h"
#include "testbench/record/packet_trail.h"
#include "testbench/record/record_choice.h"
#include "testbench/record/timeline_event.h"

namespace tributary {

struct TrailRules {
  std::function<PacketTrail(const PacketView&)> of_packet;
  std::function<PacketTrail(const ReductionEvent&)> of_entry;  ///< trail of the first operand of an entry
};

/// Reduction events that a family provides instead of a ReductionProbe of the directory.
struct EntrySource {
  std::string probe;       ///< probe that the events come from
  ReductionProbe* events;  ///< outlives the timeline
  std::function<std::string(std::uint32_t entry)> name;
};

/// Must be attached to probes before the run and outlive their last firing. At most `most_events` events are kept:
/// those that end before cut().
class Timeline {
 public:
  static constexpr std::size_t most_events = 2'000'000;

  Timeline(const TimelineSpec& spec, const std::vector<DirectedLink>& links, const ProbeDirectory& probes,
           const RecordChoice& choice, TrailRules flows, const std::vector<EntrySource>& entries = {});
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Throws TraceError if a glob of the spec selects nothing that a timeline shows.
  void check_globs() const;
  void reset(Tick t0);
  /// Ends the run and all open events.
  void end(Tick when);
  /// Writes the file. `platform`: name of the whole timeline. Throws std::runtime_error.
  void write(const std::string& platform) const;

  /// Sorted by time and track, after end().
  const std::vector<TimelineEvent>& events() const { return events_; }
  const std::vector<TimelineTrack>& tracks() const { return tracks_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the indices of the tracks with events, device by device, in natural order of their names.
  std::vector<std::size_t> shown_tracks() const;
  /// Returns the time from the start of the run after which events are omitted; `never`: none are.
  Tick cut() const { return cut_; }

 private:
  struct LinkTap {
    Timeline* line;
    std::uint32_t track;
    const LinkMeter* link;  ///< null: arrivals
    std::vector<std::uint32_t> names;
  };
  struct EntryTap {
    Timeline* line;
    std::string device;
    std::function<std::string(std::uint32_t entry)> name;
    std::map<std::uint32_t, std::uint32_t> tracks;  ///< by entry
    struct Open {
      Tick since;
      PacketTrail flow;
    };
    std::map<std::uint32_t, Open> open;
  };
  struct LevelTap {
    Timeline* line;
    std::uint32_t track;
    bool stages;
    std::string title;
    Tick since = 0;
    std::uint64_t value = 0;
  };
  struct SpanTap {
    Timeline* line;
    std::uint32_t track, name;
    bool open = false;
    Tick since = 0, last = 0;
    std::uint64_t first = 0;
  };

  bool wanted(const std::string& name);
  bool wanted_probe(const std::string& probe);
  std::uint32_t track(const std::string& probe, const std::string& name, bool counter);
  std::uint32_t name(const std::string& text);
  void attach_links(const std::vector<DirectedLink>& links, const ProbeDirectory& probes);
  void attach_entries(const EntrySource& source);
  void attach_signals(const ProbeDirectory& probes, const RecordChoice& choice);
  void attach_packets(LinkTap& tap, PacketProbe& probe, const char* const* names);
  void attach_spans(const ProbeDirectory& probes, const RecordedSpans& spans);
  void on_reduction(EntryTap& tap, Tick time, const ReductionEvent& event);
  void on_level(LevelTap& tap, Tick time, std::uint64_t value);
  void add_up_deltas();
  void end_span(SpanTap& tap);
  void add(TimelineEvent event);
  std::vector<std::size_t> tracks_by_name() const;
  Tick since_start(Tick time) const { return time > t0_ ? time - t0_ : 0; }

  TimelineSpec spec_;
  std::vector<bool> matched_;  ///< by glob of the spec
  /// By probe, if there are globs: names of its signals in waveforms.
  std::map<std::string, std::vector<std::string>> signals_;
  TrailRules flows_;
  Tick t0_ = 0, cut_ = never;
  std::string prefix_;  ///< the platform's name, which all probe names begin with
  std::vector<TimelineTrack> tracks_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t> name_numbers_;
  std::vector<TimelineEvent> events_;
  // stable addresses, as the probes keep pointers to them
  std::deque<LinkTap> links_;
  std::deque<EntryTap> entries_;
  std::deque<LevelTap> levels_;
  std::deque<SpanTap> spans_;
};

}  // namespace tributary
