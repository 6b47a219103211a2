#pragma once
/// Writes a timeline as Perfetto reads it: messages of Protocol Buffers, in a stream of packets.

#include <string>

#include "testbench/record/timeline.h"

namespace tributary {

/// Field numbers of the public .proto files (google/perfetto, protos/perfetto/trace). Times there are nanoseconds: each
/// stands for a picosecond of the run, so that order and equality are exact, or for a nanosecond, rounded down.
std::string perfetto_text(const std::string& platform, const Timeline& timeline, bool nanoseconds);

}  // namespace tributary
