#pragma once
/// QueuePair: one reliable connection of a NIC.

#include <cstdint>

#include "modules/roce/core/dcqcn.h"
#include "modules/roce/core/receive_queue.h"
#include "modules/roce/core/send_queue.h"

namespace tributary {

/// Both ends of a connection have one: `number` and `peer_number`, `send_psn` and `receive_psn` are exchanged.
struct QueuePairConfig {
  std::uint32_t number = 0;         ///< 24 bits: packets for it have that
  std::uint16_t peer = 0;           ///< station
  std::uint32_t peer_number = 0;    ///< the peer's queue pair
  std::uint32_t send_psn = 0;       ///< of the first packet sent
  std::uint32_t receive_psn = 0;    ///< of the first packet received
  std::uint16_t udp_port = 0xC000;  ///< of the source: what ECMP tells connections by
};

struct QueuePair {
  QueuePair(const SendQueue::Config& s, const DcqcnConfig& d) : send(s), rate(d), notifier(d) {}

  QueuePairConfig config{};
  SendQueue send;
  ReceiveQueue receive{ReceiveQueue::Config{}};
  Dcqcn rate;
  CongestionNotifier notifier;
  Tick next_start = 0;         // pace
  std::uint32_t messages = 0;  // received whole (MSN, 24 bits)
  unsigned outstanding = 0;    // requests that the engine waits for
  bool timer_queued = false;

  void reset() {
    send.reset();
    receive.reset();
    rate.reset();
    notifier.reset();
    next_start = 0;
    messages = outstanding = 0;
    timer_queued = false;
  }
};

}  // namespace tributary
