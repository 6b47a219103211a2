#pragma once
/// Link-level retransmission: CRC, sequence numbers, a replay buffer, acks and nacks, go-back-N
/// (docs/systems/klenk.md#retransmission).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/link/link_params.h"
#include "modules/packet/packet.h"

namespace tributary {

/// Sizes of a link's packets.
struct PacketFormat {
  unsigned flit_bytes, max_flits;
};

/// The smallest replay buffer that never holds up a link without errors: what leaves until an ack is back, a packet that
/// began before, and the next one. In flits.
unsigned replay_flits(const LinkParams& link, const PacketFormat& format);

/// Both ends of the protocol of one link. Whether a transmission arrives intact is a hash of (seed, link, its number), so
/// what the far end sees, and when it answers, is known when the transmission starts, and all of it can live at the sender.
///
/// The far end takes the packet that it expects and drops any other. Each transmission is answered by the number that it
/// expects then: an ack, or a nack when the CRC was wrong or the number too high. A nack makes the sender go back to that
/// number; it ignores the nacks of what it had sent before it went back.
class LinkRetransmission {
 public:
  struct Config {
    unsigned buffer_flits = 0;  ///< replay buffer, at least one packet
    double bit_error_rate = 0;
    std::uint64_t seed = 0, link = 0;               ///< with the number of the transmission: what decides on errors
    std::vector<std::uint64_t> corrupt, duplicate;  ///< packets, from 0: first transmission spoilt; sent twice in a row
    Tick dead_after = never;                        ///< from begin() on: what has not arrived by then is lost
  };
  /// `answer_time`: from the arrival of a last flit to that of its ack or nack at the sender.
  /// Throws std::invalid_argument when the largest packet does not fit into the buffer.
  LinkRetransmission(const Config& config, const PacketFormat& format, Tick latency, Tick answer_time);

  /// When the sender repeats a packet, if the wire is free from `free` on: before that, new ones may leave.
  Tick repeat_at(Tick free) const {
    if (copy_ || cursor_ < sent_) return free;
    return nack_at_ == never ? never : free < nack_at_ ? nack_at_ : free;
  }
  /// The earliest time from `t` on with room for so many flits; `never` if known acks do not suffice.
  Tick room_from(Tick t, unsigned flits) const;

  /// A new packet leaves at `start`, its last flit at `end`. True: the far end takes it, and the caller hands it over.
  /// False: it is kept here, with its reference.
  bool send(Packet* packet, unsigned flits, Tick start, Tick end);

  /// Repeats: take_repeat says how many flits leave at `now` (0: by now there is nothing to repeat), repeated what arrives:
  /// the packet, which the caller hands over, or null.
  unsigned take_repeat(Tick now);
  Packet* repeated(Tick end);

  /// Nothing leaves any more from then on.
  Tick dead_at() const { return dead_at_; }
  /// The measured time begins: the time of death counts from here.
  void begin(Tick t0) { dead_at_ = dead_after_ == never ? never : t0 + dead_after_; }
  void reseed(std::uint64_t seed) { seed_ = seed; }
  bool quiescent() const { return expected_ == sent_ && nack_at_ == never && cursor_ == sent_ && !copy_; }
  /// What waits here, or empty.
  std::string waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Held {
    Packet* packet;  // null once the far end has it
    unsigned flits;
  };
  struct Answer {
    Tick at;
    std::uint64_t expected;
  };
  bool transmit(std::uint64_t number, Tick end, bool spoilt);
  bool bits_wrong(unsigned flits);
  void absorb(Tick now);
  Held& held(std::uint64_t number) { return held_[static_cast<std::uint32_t>(number - base_)]; }

  unsigned buffer_flits_;
  std::uint64_t seed_, link_;
  std::vector<std::uint64_t> error_below_;  // by flits of a packet: a random number below it, and it is corrupted
  std::vector<std::uint64_t> corrupt_, duplicate_;
  Tick dead_after_, latency_, answer_time_;

  // Sender. Packets base_ to sent_ - 1 are in the buffer; cursor_ < sent_: that one is repeated next.
  RingQueue<Held> held_;
  unsigned held_flits_ = 0;
  std::uint64_t base_ = 0, sent_ = 0, cursor_ = 0, transmissions_ = 0;
  std::uint64_t repeating_ = 0;  // number of the packet that take_repeat has chosen
  bool copy_ = false;            // the last packet is sent once more, as a scripted fault wants it
  Tick dead_at_ = never;
  // What the far end has said and will say.
  std::uint64_t expected_ = 0;
  RingQueue<Answer> answers_;
  Tick nack_at_ = never;  // of the nack that makes the sender go back

  SignalProbe crc_errors_, duplicates_, retransmissions_, held_probe_;
};

}  // namespace tributary
