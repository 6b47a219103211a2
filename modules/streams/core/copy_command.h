#pragma once
/// CopyCommand and Burst: the input of a copy engine, and its output to the links.

#include <cstdint>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// The framing of a copy on the links of its path: each packet has up to `payload` bytes and `overhead` bytes more. Up to
/// `burst` packets are simulated as one.
struct CopyFraming {
  std::uint16_t payload = 256, overhead = 16, burst = 15;
};

/// One copy from the memory of this GPU to that of a peer, or in the other direction. A burst of a copy that reads is the
/// request for its data: it has left when they have arrived.
struct CopyCommand {
  std::uint32_t copy = 0;  ///< number at the port hub, which its bursts carry
  std::uint16_t queue = 0, stream = 0, peer = 0;
  CopyPath path = CopyPath::nvlink;
  std::uint8_t lanes = 1;     ///< links to the peer; each carries one contiguous range of the copy
  std::uint8_t accesses = 1;  ///< bytes of traffic of the memory for each byte that is sent
  bool reads = false;         ///< from `source` in the peer's memory to `destination` in this one
  CopyFraming framing;
  std::uint64_t source = 0, destination = 0, bytes = 0;
  std::uint8_t two_packets = 0;  ///< see ChannelTimes
};

/// Packets of one copy, back to back on one link.
struct Burst {
  std::uint32_t copy = 0;
  std::uint8_t lane = 0;
  bool last = false;        ///< last burst of its lane
  std::uint16_t flits = 0;  ///< 16 B each, headers included
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;  ///< from the start of the copy
};

}  // namespace tributary
