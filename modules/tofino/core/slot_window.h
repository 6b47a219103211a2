#pragma once
/// SlotWindow: the packets that a worker of SwitchML or ATP has in flight, and their retransmissions.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"

namespace tributary {

/// Packet k has slot k mod S, and may be sent when packet k - S is done: the pool of SwitchML, and the window of ATP. A
/// packet that is not done one timeout after it was sent is sent again. At most limit() packets are in flight. The times of
/// calls must not decrease.
class SlotWindow {
 public:
  struct Config {
    std::uint32_t packets = 0;
    std::uint32_t slots = 1;
    Tick timeout = never;
    std::uint32_t queue = 1;  ///< packets queued or in flight; at least `slots`, or `slots` counts
  };
  struct Sending {
    std::uint32_t packet = 0;
    std::uint32_t slot = 0;
    bool version = false;  ///< alternates with each packet of the slot
    bool resent = false;
  };

  /// Starts a job whose packets may all be sent from `now` on. Throws std::invalid_argument if there are no slots.
  void start(const Config& config, Tick now);

  /// Returns the time of the next packet if no further result arrives; `never` if a result must arrive first.
  Tick next();
  /// Returns the packet that is sent at `now` >= next(). Packets whose timeout has expired are first.
  Sending take(Tick now);
  /// The result of a packet has arrived. Returns false if the packet is done or was never sent.
  bool accept(std::uint32_t packet, Tick now);
  /// The packet is sent once more, immediately.
  void send_again(std::uint32_t packet, Tick now);

  bool in_flight(std::uint32_t packet) const {
    const Slot& slot = slots_[slot_of(packet)];
    return slot.in_flight && slot.packet == packet;
  }
  void set_limit(std::uint32_t packets) { limit_ = packets < 1 ? 1 : packets; }
  std::uint32_t limit() const { return limit_; }

  bool finished() const { return done_ == config_.packets; }
  std::uint32_t done() const { return done_; }
  std::uint32_t sent() const { return sent_; }
  std::uint32_t outstanding() const { return sent_ - done_; }
  std::uint64_t resendings() const { return resendings_; }
  /// Mean time from the entry of a packet into the queue to its result.
  double mean_round_trip() const { return done_ == 0 ? 0 : static_cast<double>(round_trips_) / done_; }
  /// Returns a line such as `packet 8195 (slot 3) waits for its result, 41 in flight`; empty when finished.
  std::string waiting() const;
  void reset() { start({0, 1, never, 1}, 0); }

 private:
  struct Slot {
    std::uint32_t packet = 0;
    bool in_flight = false;
    Tick deadline = never;
    Tick queued = 0;
  };
  struct Timer {
    Tick when;
    std::uint32_t packet;
  };
  std::uint32_t slot_of(std::uint32_t packet) const { return packet % slots_size(); }
  std::uint32_t slots_size() const { return static_cast<std::uint32_t>(slots_.size()); }
  void purge();
  void arm(Slot& slot, Tick now);

  Config config_;
  std::vector<Slot> slots_;
  std::uint32_t never_used_ = 0;    // first slot that has had no packet
  RingQueue<std::uint32_t> ready_;  // packets whose slots have become free
  RingQueue<Timer> timers_;         // in order of time
  std::vector<Tick> completions_;   // times of the latest results, by number of results
  std::uint32_t sent_ = 0;          // number of packets, without retransmissions
  std::uint32_t done_ = 0;
  std::uint32_t limit_ = ~0u;
  std::uint64_t resendings_ = 0;
  Tick started_ = 0;
  Tick round_trips_ = 0;
};

/// Congestion window of ATP. A marked result halves it, once in a window; unmarked results increase it by one packet in a
/// window.
class CongestionWindow {
 public:
  void start(std::uint32_t most) { most_ = size_ = most < 1 ? 1 : most, results_ = 0, recover_ = 0; }
  std::uint32_t size() const { return size_; }
  /// `sent`: number of packets sent so far; `packet`: number of the packet of this result.
  void accept(bool marked, std::uint32_t packet, std::uint32_t sent) {
    if (marked) {
      if (packet < recover_) return;
      recover_ = sent;
      size_ = size_ < 2 ? 1 : size_ / 2;
      results_ = 0;
    } else if (size_ < most_ && ++results_ >= size_) {
      results_ = 0;
      ++size_;
    }
  }

 private:
  std::uint32_t most_ = 1, size_ = 1, results_ = 0, recover_ = 0;
};

}  // namespace tributary
