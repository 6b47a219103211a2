#pragma once
/// Packets that wait for the crossbar at one port: a queue for each VC of the link, and one for what the port's egress unit
/// injects (the replication buffer).

#include <cstdint>

#include "modules/base/probe.h"
#include "modules/base/ring_queue.h"
#include "modules/link/packet.h"
#include "modules/switching/core/forwarding.h"

namespace tributary {

/// A packet that may cross from `ready` on, and whose last flit is at hand `tail_after` that. Holds all that arbitration
/// needs (the packet itself may have left the cache), and is small: a port holds 150 ns of them.
struct Arrival {
  Tick ready;
  Packet* packet;
  std::uint32_t tail_after;
  std::uint16_t outputs;
  std::uint8_t flits;
  Exit exit : 4;
  bool claims : 4;

  Arrival() = default;
  Arrival(Tick ready_, Tick tail, Packet* packet_, const Decision& decision)
      : ready(ready_),
        packet(packet_),
        tail_after(static_cast<std::uint32_t>(tail - ready_)),
        outputs(decision.outputs),
        flits(packet_->flits),
        exit(decision.exit),
        claims(decision.claims) {}
};
static_assert(sizeof(Arrival) == 24);

struct InputQueue {
  RingQueue<Arrival> waiting;  ///< not yet routed
  std::uint32_t wants = 0;     ///< outputs that its routed packets still have to reach
  unsigned routed = 0;         ///< packets routed and not yet gone
  unsigned flits = 0;          ///< replication buffer: held or reserved
  bool stalled = false;        ///< the egress unit has refused its head
  Tick armed = never;          ///< pending event for its head
  SignalProbe flits_probe;     ///< delta
  SignalProbe stall_probe;     ///< level
};

}  // namespace tributary
