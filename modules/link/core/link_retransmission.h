#pragma once
/// LinkRetransmission: link-level retransmission by CRC, sequence numbers, a replay buffer, acks and nacks, go-back-N
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

/// Packet sizes of a link, and their protocol.
struct PacketFormat {
  unsigned flit_bytes, max_flits;
  ProtocolId protocol = ProtocolId::nvlink;
};

/// Returns the smallest replay buffer, in flits, that never stalls a link without errors: flits sent until an ack returns,
/// a packet begun before, and the next one.
unsigned replay_flits(const LinkParams& link, const PacketFormat& format);

/// Both ends of the protocol of one link. A hash of (seed, link, transmission number) decides if a transmission arrives
/// intact. The observations of the far end and the times of its answers are thus known when the transmission starts, and
/// the sender holds the state of both ends.
///
/// The far end accepts the packet that it expects and drops any other. It answers each transmission with the number that it
/// expects then: an ack, or a nack if the CRC was wrong or the number too high. On a nack the sender goes back to that
/// number; it ignores nacks for packets sent before it went back.
class LinkRetransmission {
 public:
  struct Config {
    unsigned buffer_flits = 0;  ///< replay buffer, at least one packet
    double bit_error_rate = 0;
    std::uint64_t seed = 0, link = 0;  ///< hashed with the transmission number to decide on errors
    /// packet numbers, from 0: first transmission corrupted; sent twice in a row
    std::vector<std::uint64_t> corrupt, duplicate;
    Tick dead_after = never;  ///< counted from begin(); packets that arrive later are lost
  };
  /// `answer_time`: from the arrival of a last flit to the arrival of its ack or nack at the sender. Throws
  /// std::invalid_argument if the largest packet does not fit into the buffer.
  LinkRetransmission(const Config& config, const PacketFormat& format, Tick latency, Tick answer_time);

  /// Returns the time at which the sender repeats a packet, if the wire is free from `free` on; new packets may leave
  /// before that.
  Tick repeat_at(Tick free) const {
    if (copy_ || cursor_ < sent_) return free;
    return nack_at_ == never ? never : free < nack_at_ ? nack_at_ : free;
  }
  /// Returns the earliest time from `t` on with room for `flits`; `never` if the known acks do not suffice.
  Tick room_from(Tick t, unsigned flits) const;

  /// Sends a new packet at `start`, its last flit at `end`. Returns true if the far end accepts it; the caller then
  /// delivers it. If false, the packet stays here, with its reference.
  bool send(Packet* packet, unsigned flits, Tick start, Tick end);

  /// Retransmission: take_repeat() returns the flits that leave at `now` (0: nothing to repeat at present); repeated()
  /// returns the packet that arrives, for the caller to deliver, or null.
  unsigned take_repeat(Tick now);
  Packet* repeated(Tick end);

  /// Nothing leaves from this time on.
  Tick dead_at() const { return dead_at_; }
  /// Starts the measured time, from which the time of death counts.
  void begin(Tick t0) { dead_at_ = dead_after_ == never ? never : t0 + dead_after_; }
  void reseed(std::uint64_t seed) { seed_ = seed; }
  bool quiescent() const { return expected_ == sent_ && nack_at_ == never && cursor_ == sent_ && !copy_; }
  /// Returns a line about pending packets, or an empty string.
  std::string waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Held {
    Packet* packet;  // null once delivered
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
  // by packet size in flits: a packet is corrupted if a random number is below this
  std::vector<std::uint64_t> error_below_;
  std::vector<std::uint64_t> corrupt_, duplicate_;
  Tick dead_after_, latency_, answer_time_;

  // Sender. Packets base_ to sent_ - 1 are in the buffer; if cursor_ < sent_, packet cursor_ is repeated next.
  RingQueue<Held> held_;
  unsigned held_flits_ = 0;
  std::uint64_t base_ = 0, sent_ = 0, cursor_ = 0, transmissions_ = 0;
  std::uint64_t repeating_ = 0;  // number of the packet selected by take_repeat()
  bool copy_ = false;            // the last packet is sent again, as a scripted fault requires
  Tick dead_at_ = never;
  // Far end: packet that it expects, and its answers in flight.
  std::uint64_t expected_ = 0;
  RingQueue<Answer> answers_;
  Tick nack_at_ = never;  // time of the nack on which the sender goes back

  SignalProbe crc_errors_, duplicates_, retransmissions_, held_probe_;
};

}  // namespace tributary
