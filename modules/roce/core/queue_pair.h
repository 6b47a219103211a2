#pragma once
/// QueuePair: one reliable connection of a NIC.

#include <cstdint>

#include "modules/roce/core/dcqcn.h"
#include "modules/roce/core/receive_queue.h"
#include "modules/roce/core/send_queue.h"

namespace tributary {

/// Each end of a connection has one. `number` of one end is `peer_number` of the other; so are `send_psn` and `receive_psn`.
struct QueuePairConfig {
  std::uint32_t number = 0;         ///< 24 bits: destination queue pair of packets for this end
  std::uint16_t peer = 0;           ///< station of the peer
  std::uint32_t peer_number = 0;    ///< the peer's queue pair
  std::uint32_t send_psn = 0;       ///< PSN of the first packet sent
  std::uint32_t receive_psn = 0;    ///< PSN of the first packet received
  std::uint16_t udp_port = 0xC000;  ///< source port, by which ECMP distinguishes connections
};

struct QueuePair {
  QueuePair(const SendQueue::Config& s, const DcqcnConfig& d) : send(s), rate(d), notifier(d) {}

  QueuePairConfig config{};
  SendQueue send;
  ReceiveQueue receive{ReceiveQueue::Config{}};
  Dcqcn rate;
  CongestionNotifier notifier;
  Tick next_start = 0;         // earliest start of its next packet
  std::uint32_t messages = 0;  // messages received completely (MSN, 24 bits)
  unsigned outstanding = 0;    // requests without a reported completion
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
