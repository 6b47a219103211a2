#pragma once
/// Channels of a copy engine in RTL and their fields, by position in the table of its pins.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/rtl/core/beat_layout.h"
#include "modules/streams/core/copy_engine_core.h"

namespace tributary {
namespace copy_engine_channels {

struct CopyChannel {
  enum : unsigned { descriptor, request, data, bursts, room_of, left_of, end_of };
};
struct Descriptor {
  enum : unsigned { copy, source, destination, size, lanes, payload, overhead, burst };
};
struct Request {
  enum : unsigned { address, length };
};
struct Bursts {
  enum : unsigned { of_lanes, last_of_lanes, of_copy, flits, payloads, offsets };
};

}  // namespace copy_engine_channels

/// Returns the beat of a copy's descriptor.
RtlBeat descriptor_beat(const BeatLayout& descriptor, const CopyCommand& command);
/// Returns the bursts of a beat, by lane.
std::vector<Burst> bursts_of(const BeatLayout& bursts, const RtlBeat& beat, unsigned lanes);
/// Returns the line of a report that names a copy and its bytes to send; `sent`: those of all lanes.
std::string rest_of(const CopyCommand& command, std::uint64_t sent);
/// Throws std::invalid_argument for a copy that a block with that many lanes cannot carry out.
void require_copy(const std::string& name, const CopyCommand& command, unsigned lanes);

}  // namespace tributary
