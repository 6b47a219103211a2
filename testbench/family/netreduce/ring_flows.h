#pragma once
/// RingFlows: which packet of which ring's tensor a frame carries, or speaks of.

#include <cstdint>
#include <unordered_map>

#include "modules/protocol/roce.h"
#include "platforms/netreduce/ring_manager.h"
#include "testbench/record/packet_flow.h"

namespace tributary {

class RingFlows {
 public:
  explicit RingFlows(unsigned message_packets) : message_packets_(message_packets) {}

  /// All rings of a run; their connections are made for each.
  void learn(const RingManager& rings);
  /// Gradients, results and sums of a packet have one flow, and with them the notifications and NACKs that name it. What
  /// belongs to no ring has none.
  PacketFlow of(const RoceHeader& frame) const;

  /// A connection of a ring.
  struct Stream {
    std::uint16_t ring = 0;
    std::uint32_t first_psn = 0;
  };
  /// Of a WRITE or notification the connection that it is of, of a NACK the one that it answers; null: none of a ring.
  const Stream* stream_of(const RoceHeader& frame) const;

 private:
  unsigned message_packets_;
  std::unordered_map<std::uint64_t, Stream> sent_,
      answered_;  ///< by connection, word_of(): of its packets, and of its NACKs
};

}  // namespace tributary
