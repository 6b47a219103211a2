#pragma once
/// Writes a timeline in Chrome's Trace Event Format (JSON), for viewers that do not read Perfetto's format.

#include <ostream>
#include <string>

#include "testbench/record/timeline.h"

namespace tributary {

/// Writes the same processes, tracks, slices, instants, counters and trails as perfetto_text(). Times in the file are
/// microseconds: a thousandth represents a picosecond of the run, or (`nanoseconds`) a nanosecond, rounded down.
void write_trace_events(std::ostream& out, const std::string& platform, const Timeline& timeline, bool nanoseconds);

}  // namespace tributary
