#pragma once
/// BurstCutter: cuts a copy into packets and bursts (docs/blocks/copy_engine.md#bursts).

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "modules/streams/core/copy_command.h"

namespace tributary {

inline constexpr unsigned largest_burst_flits = 255, burst_flit_bytes = 16;

/// The range of a copy that crosses one of the bonded links. Only the last packet of the copy may be partly filled.
struct CopyPart {
  std::uint64_t begin = 0, bytes = 0;
};

/// Returns the number of lanes of a copy over `links` links: one for each packet at most, none for 0 B.
inline unsigned copy_lanes(std::uint64_t bytes, unsigned links, const CopyFraming& framing) {
  return static_cast<unsigned>(std::min<std::uint64_t>(links, (bytes + framing.payload - 1) / framing.payload));
}

/// Returns the range of one lane. If the packets cannot be divided evenly, the first lanes have one packet more.
inline CopyPart copy_part(std::uint64_t bytes, unsigned lanes, unsigned lane, const CopyFraming& framing) {
  const std::uint64_t packets = (bytes + framing.payload - 1) / framing.payload;
  const std::uint64_t each = packets / lanes, more = packets % lanes;
  const auto first = [&](std::uint64_t l) { return std::min(bytes, (each * l + std::min(l, more)) * framing.payload); };
  return {first(lane), first(lane + 1) - first(lane)};
}

/// Returns the bursts of one lane in order. The number of flits is rounded up over the whole range, so that it does not
/// depend on the size of the bursts.
class BurstCutter {
 public:
  BurstCutter() = default;
  BurstCutter(const CopyCommand& command, unsigned lane)
      : framing_(command.framing),
        copy_(command.copy),
        lane_(static_cast<std::uint8_t>(lane)),
        part_(copy_part(command.bytes, command.lanes, lane, command.framing)) {}

  bool empty() const { return done_ == part_.bytes; }
  std::uint64_t left() const { return part_.bytes - done_; }
  /// Returns the bytes of the next burst; 0 if there is none.
  std::uint64_t next_bytes() const { return std::min<std::uint64_t>(left(), framing_.payload * framing_.burst); }
  Burst next() {
    const std::uint64_t bytes = next_bytes();
    const std::uint64_t packets = (bytes + framing_.payload - 1) / framing_.payload;
    wire_bytes_ += bytes + packets * framing_.overhead;
    const std::uint64_t flits = (wire_bytes_ + burst_flit_bytes - 1) / burst_flit_bytes;
    assert(flits - flits_ <= largest_burst_flits);
    Burst burst;
    burst.copy = copy_;
    burst.lane = lane_;
    burst.flits = static_cast<std::uint16_t>(flits - flits_);
    burst.bytes = static_cast<std::uint32_t>(bytes);
    burst.offset = part_.begin + done_;
    done_ += bytes;
    flits_ = flits;
    burst.last = empty();
    return burst;
  }

 private:
  CopyFraming framing_;
  std::uint32_t copy_ = 0;
  std::uint8_t lane_ = 0;
  CopyPart part_;
  std::uint64_t done_ = 0, wire_bytes_ = 0, flits_ = 0;
};

}  // namespace tributary
