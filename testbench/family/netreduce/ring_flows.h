#pragma once
/// RingFlows: the ring and the packet of its tensor that a frame carries or names.

#include <cstdint>
#include <unordered_map>

#include "modules/protocol/roce.h"
#include "platforms/netreduce/ring_manager.h"
#include "testbench/record/packet_trail.h"

namespace tributary {

class RingFlows {
 public:
  explicit RingFlows(unsigned message_packets) : message_packets_(message_packets) {}

  /// Registers all rings of a run; their connections are new in each run.
  void learn(const RingManager& rings);
  /// Gradients, results and sums of a packet have one trail, together with the notifications and NACKs that name it. Frames
  /// of no ring have none.
  PacketTrail of(const RoceHeader& frame) const;

  /// A connection of a ring.
  struct Stream {
    std::uint16_t ring = 0;
    std::uint32_t first_psn = 0;
  };
  /// Returns the connection of a WRITE or notification, or the one that a NACK answers; null for frames of no ring.
  const Stream* stream_of(const RoceHeader& frame) const;

 private:
  unsigned message_packets_;
  std::unordered_map<std::uint64_t, Stream> sent_,
      answered_;  ///< by connection, word_of(): for its packets, and for its NACKs
};

}  // namespace tributary
