#pragma once
/// RecordChoice: data that a family records over the time of a run, in addition to its links. RecordSpec: the part of
/// it that the user requested.

#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Signal probes selected by a glob, under one title.
struct RecordedSignals {
  std::string glob;
  std::string title;  ///< for example `reduction tables: entries in use`
};

/// Slices that begin with each strobe or change of one probe and end with the last change of another probe before the
/// next begin.
struct RecordedSpans {
  std::string begin;   ///< glob: `*.dma.wave*.base`
  std::string during;  ///< leaf of the probe in the same module: `count`
  std::string title;
};

struct RecordChoice {
  std::vector<RecordedSignals> levels;         ///< numbers: mean and peak of each probe over time
  std::vector<RecordedSignals> counters = {};  ///< levels only for timelines: queues, credits
  std::vector<RecordedSignals> events;         ///< strobes: their number over time, for all probes together
  /// Levels that encode the activity of a device: 0 none, otherwise a number from 1.
  std::vector<RecordedSignals> stages;
  std::vector<RecordedSpans> spans;  ///< number of open spans of each device
};

/// Options of a timeline of all events.
struct TimelineSpec {
  std::string file;                ///< for Perfetto; empty: none
  std::string json_file;           ///< for other viewers; empty: none
  std::vector<std::string> globs;  ///< globs of links and probes; empty: all
  Tick from = 0, to = never;       ///< from the start of the run
  /// A nanosecond of the timeline represents a nanosecond of the run instead of a picosecond.
  bool nanoseconds = false;

  bool asked() const { return !file.empty() || !json_file.empty(); }
};

struct RecordSpec {
  bool page = false;  ///< RunRecord
  TimelineSpec timeline;
};

}  // namespace tributary
