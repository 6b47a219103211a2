#pragma once
/// Packets that wait for the crossbar at one port: a queue for each VC of the link, and one for what the port's egress unit
/// injects (the replication buffer).

#include <array>
#include <cstdint>

#include "modules/base/probe.h"
#include "modules/base/ring_queue.h"
#include "modules/link/core/serializer.h"
#include "modules/switching/core/packet_lists.h"

namespace tributary {

inline constexpr unsigned max_switch_ports = 16;

/// One queue: first come those that wait for their time, or their turn (FIFO discipline); then a list for each output, so
/// that a packet waits only behind others for the same output (virtual output queues).
struct alignas(64) InputQueue {
  RingQueue<QueuedPacket> waiting;                            ///< not yet routed: side by side, for they lie there for long
  std::array<PacketLists::List, max_switch_ports> routed_to;  ///< by output
  unsigned routed = 0;                                        ///< packets routed and not yet gone
  unsigned flits = 0;                                         ///< replication buffer: held or reserved
  bool stalled = false;                                       ///< the egress unit has refused its head
  SignalProbe stall_probe;                                    ///< level
};

/// The crossbar input of a port, which its queues share.
struct alignas(64) CrossbarInput {
  explicit CrossbarInput(Bandwidth rate) : line(rate) {}

  Serializer line;
  bool busy = false;
  std::uint8_t output = 0;            ///< that it crosses to
  std::uint8_t replicated_flits = 0;  ///< to free in the replication buffer at the end
  /// Packets are routed when their time comes, though the input be busy, for one of them may claim an entry then. Otherwise
  /// they wait, unseen, until the input is free.
  bool eager = false;

  void reset() {
    line.reset();
    busy = eager = false;
  }
};

}  // namespace tributary
