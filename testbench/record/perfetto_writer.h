#pragma once
/// Writes a timeline in Perfetto's format: Protocol Buffers messages in a sequence of packets.

#include <string>

#include "testbench/record/timeline.h"

namespace tributary {

/// Field numbers are those of the public .proto files (google/perfetto, protos/perfetto/trace). Times in the file are
/// nanoseconds: each represents a picosecond of the run, so that order and equality are exact, or (`nanoseconds`) a
/// nanosecond, rounded down.
std::string perfetto_text(const std::string& platform, const Timeline& timeline, bool nanoseconds);

}  // namespace tributary
