#pragma once
/// RecordChoice: what a family shows over the time of a run, beside its links; RecordSpec: what of that a user asks for.

#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Signal probes by glob, under one title.
struct RecordedSignals {
  std::string glob;
  std::string title;  ///< `reduction tables: entries in use`
};

/// Slices that begin with each strobe or change of one probe and end with the last change of another before the next.
struct RecordedSpans {
  std::string begin;   ///< glob: `*.dma.wave*.base`
  std::string during;  ///< leaf beside it: `count`
  std::string title;
};

struct RecordChoice {
  std::vector<RecordedSignals> levels;         ///< numbers: mean and peak of each probe over time
  std::vector<RecordedSignals> counters = {};  ///< levels for timelines alone: queues, credits
  std::vector<RecordedSignals> events;         ///< strobes: how many over time, all probes together
  std::vector<RecordedSignals> stages;         ///< levels that name what a device does: 0 nothing, else a number from 1
  std::vector<RecordedSpans> spans;            ///< how many of each device are under way
};

/// A timeline of all that happened.
struct TimelineSpec {
  std::string file;                ///< for Perfetto; empty: none
  std::string json_file;           ///< for other viewers; empty: none
  std::vector<std::string> globs;  ///< of links and probes; none: all
  Tick from = 0, to = never;       ///< from the start of the run
  bool nanoseconds = false;        ///< a nanosecond of the timeline is one of the run, not a picosecond

  bool asked() const { return !file.empty() || !json_file.empty(); }
};

struct RecordSpec {
  bool page = false;  ///< RunRecord
  TimelineSpec timeline;
};

}  // namespace tributary
