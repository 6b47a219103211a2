#pragma once
/// SlotPool: slots that the rings of an accelerator share in time, message by message (docs/systems/netreduce.md#admission).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/netreduce/core/aggregation_ring.h"

namespace tributary {

/// A ring gets the slots of a message when its first packet arrives, and returns them when all ranks have acknowledged the
/// message: the accelerator reads the ACKs that pass it. A ring gets its messages in order. A ring without free slots waits:
/// its packets are dropped, and its NICs send them again. Each ring that waits has one message of the next free slots
/// reserved for it, in order of waiting, so that no ring starves. Messages are numbered from 0.
class SlotPool {
 public:
  enum class Answer : std::uint8_t {
    granted,   ///< the message has slots
    waits,     ///< it has none yet
    finished,  ///< all ranks have acknowledged the message: only an ACK can be missing
  };

  /// `messages`: number of messages for which there are slots, at least 1.
  SlotPool(const std::vector<AggregationRing>& rings, std::uint32_t messages);

  /// A packet of a message has arrived. `ring`: index among the rings.
  Answer admit(unsigned ring, std::uint32_t message);
  /// An ACK has arrived: its sender has received all packets of the connection up to `psn`. An answer of no connection has
  /// no effect.
  void acknowledged(const ConnectionKey& answer, std::uint32_t psn);

  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t free() const { return free_; }
  /// Returns how often a ring had to wait for the slots of a message.
  std::uint64_t waits() const { return waits_; }
  /// Returns lines such as `ring2 waits for the slots of message 5; 4 messages of all rings have slots`.
  std::vector<std::string> waiting() const;

 private:
  struct Member {
    ConnectionKey answer;     // connection of its answers
    std::uint32_t first_psn;  // PSN of message 0
    std::uint64_t packets;    // acknowledged
  };
  struct Ring {
    std::uint16_t number;
    unsigned message_packets;
    std::vector<Member> members;
    std::uint32_t granted, finished;  // numbers of messages
    bool waits;
  };
  void finish(Ring& ring);
  std::uint32_t reserved(unsigned ring) const;

  std::uint32_t capacity_, free_;
  std::vector<Ring> rings_;
  std::deque<unsigned> queue_;  // rings that wait, in order
  std::uint64_t waits_ = 0;
};

}  // namespace tributary
