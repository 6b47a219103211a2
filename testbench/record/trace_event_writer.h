#pragma once
/// Writes a timeline in the Trace Event Format of Chrome's tracing: JSON, for viewers that do not read Perfetto's messages.

#include <ostream>
#include <string>

#include "testbench/record/timeline.h"

namespace tributary {

/// The processes, tracks, slices, instants, counters and flows of perfetto_text(). Times there are microseconds: a
/// thousandth stands for a picosecond of the run, or for a nanosecond, rounded down.
void write_trace_events(std::ostream& out, const std::string& platform, const Timeline& timeline, bool nanoseconds);

}  // namespace tributary
