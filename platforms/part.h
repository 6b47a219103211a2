#pragma once
/// PlatformPart: devices of a platform that speak one protocol, with their packets and the times of their windows.

#include <deque>
#include <vector>

#include "modules/packet/packet.h"

namespace tributary {

/// Times from which the windows of the devices of a part are computed (see Windows::of) [unit: ps].
struct PartTiming {
  Tick lookahead = 0;  ///< shortest time in which another device can affect one of the part
  Tick delay = 0;
  Tick host_latency = 0;
};

/// The packets of a lane, which share no cache line with those of another one.
struct alignas(128) LanePackets : PacketPool {
  using PacketPool::PacketPool;
};

struct PlatformPart {
  PlatformPart(const PartTiming& timing_, const PacketFraming& framing, unsigned lanes = 1)
      : timing(timing_), protocol(framing.protocol) {
    for (unsigned i = 0; i < lanes; ++i) pools.emplace_back(framing);
  }
  std::deque<LanePackets> pools{};  ///< by lane
  PartTiming timing;
  ProtocolId protocol;       ///< protocol of its packets
  std::vector<int> nodes{};  ///< nodes of the graph, in the order in which their devices are made
};

}  // namespace tributary
