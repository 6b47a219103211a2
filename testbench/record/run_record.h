#pragma once
/// RunRecord: activity over the time of a run, in stretches, compact enough for a page.

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/directed_link.h"
#include "testbench/record/record_choice.h"
#include "testbench/record/time_bins.h"

namespace tributary {

/// One quantity of one link or probe over a run, in stretches of RunRecord::stretch().
struct RecordedSeries {
  std::string name;           ///< link, or probe without the platform's name
  std::vector<double> means;  ///< links: busy fraction of the stretch; events: their number
  std::vector<double> peaks;  ///< levels only
  double rate_GBps = 0;       ///< links only
  double mean = 0;            ///< mean over the whole run; events: their number
};

/// A sequence of activities of a device.
struct RecordedStage {
  std::uint64_t value = 0;
  Tick from = 0, to = 0;  ///< from the start of the run
};
struct RecordedLane {
  std::string name;
  std::vector<RecordedStage> stages;
  bool cut = false;  ///< more stages occurred than are kept
};

template <class Content>
struct RecordedGroup {
  std::string title;
  std::vector<Content> members;
};

/// Must be attached to probes before the run and outlive their last firing. A run without it has no overhead.
class RunRecord {
 public:
  RunRecord(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const RecordChoice& choice);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Starts a run; recorded times count from t0.
  void reset(Tick t0);
  /// Ends a run; later activity is cut off.
  void end(Tick when);

  Tick length() const { return length_; }
  Tick stretch() const { return Tick{1} << shift_; }
  std::size_t stretches() const { return static_cast<std::size_t>((length_ + stretch() - 1) >> shift_); }
  const std::vector<RecordedSeries>& links() const { return link_series_; }
  /// Returns a series per probe that was ever above 0.
  const std::vector<RecordedGroup<RecordedSeries>>& levels() const { return level_groups_; }
  /// Returns a series per kind of event that occurred.
  const std::vector<RecordedSeries>& events() const { return event_series_; }
  /// Returns a lane per device probe that was ever active.
  const std::vector<RecordedGroup<RecordedLane>>& stages() const { return stage_groups_; }

 private:
  static constexpr std::size_t most_stages = 4000;  ///< per lane

  struct LinkTap {
    RunRecord* record;
    std::string name;
    const LinkMeter* link;
    TimeBins bins;
  };
  struct LevelTap {
    RunRecord* record;
    std::string name;
    std::size_t group;
    TimeBins bins;
    Tick since = 0;
    std::uint64_t value = 0;
  };
  /// Number of open spans of a device.
  struct SpansOfDevice {
    std::string name;
    std::size_t group;
    TimeBins bins;
  };
  struct SpanTap {
    RunRecord* record;
    SpansOfDevice* device;
    bool open = false;
    Tick since = 0, last = 0;
  };
  struct EventTap {
    RunRecord* record;
    std::string title;
    TimeBins bins;
  };
  struct StageTap {
    RunRecord* record;
    std::size_t group;
    RecordedLane lane;
    RecordedStage now;
  };

  void attach_signal(const std::string& name, SignalProbe& probe, const RecordChoice& choice);
  Tick since_start(Tick time) const { return time > t0_ ? time - t0_ : 0; }
  void attach_spans(const ProbeDirectory& probes, const RecordedSpans& spans, std::size_t group);
  static void end_span(SpanTap& tap);
  static void change(StageTap& tap, Tick time, std::uint64_t value);
  /// `unit` 0: a mean over time; the last stretch ends at `until`.
  RecordedSeries series(const std::string& name, TimeBins& bins, double unit, Tick until) const;

  Tick t0_ = 0, length_ = 0;
  unsigned shift_ = 0;
  std::vector<std::string> level_titles_, stage_titles_;
  // stable addresses, as the probes keep pointers to them
  std::deque<LinkTap> links_;
  std::deque<LevelTap> levels_;
  std::deque<EventTap> events_;
  std::deque<SpansOfDevice> devices_;
  std::deque<SpanTap> spans_;
  std::deque<StageTap> stages_;
  std::vector<RecordedSeries> link_series_, event_series_;
  std::vector<RecordedGroup<RecordedSeries>> level_groups_;
  std::vector<RecordedGroup<RecordedLane>> stage_groups_;
};

}  // namespace tributary
