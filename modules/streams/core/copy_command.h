#pragma once
/// What a copy engine is told to do, and what it puts on the wire.

#include <cstdint>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// How packets of a copy lie on the wire of a way: `payload` bytes each, and so many beside them; up to `burst` of them are
/// moved as one.
struct CopyFraming {
  std::uint16_t payload = 256, overhead = 16, burst = 15;
};

/// One copy from the memory of this GPU to that of a peer.
struct CopyCommand {
  std::uint32_t copy = 0;  ///< its number at the port hub, for bursts
  std::uint16_t queue = 0, stream = 0, peer = 0;
  CopyPath path = CopyPath::nvlink;
  std::uint8_t lanes = 1;  ///< links that lead there: the copy goes over them in as many contiguous parts
  CopyFraming framing;
  std::uint64_t source = 0, destination = 0, bytes = 0;
};

/// Packets of one copy, back to back on one link.
struct Burst {
  std::uint32_t copy = 0;
  std::uint8_t lane = 0;
  bool last = false;        ///< of its lane
  std::uint16_t flits = 0;  ///< 16 B each, headers included
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;  ///< in the copy
};

}  // namespace tributary
