#pragma once
/// TrajectoryHash: a fingerprint of all traffic.

#include <cstdint>
#include <deque>

#include "modules/packet/packet_view.h"

namespace tributary {

/// Covers every packet on every link with its start time. It is a sum of mixed words, so it depends on the events but
/// neither on the order in which devices run nor on the mode. Must outlive the probes' last firing.
class TrajectoryHash {
 public:
  /// A packet on a link. `time` is the start of serialisation.
  struct Event {
    Tick time;
    std::uint32_t link;
    std::uint8_t opcode;
    std::uint16_t bytes;  ///< bytes on the wire
    std::uint16_t source;
    std::uint16_t count;
    std::uint64_t address;
  };

  TrajectoryHash() = default;
  TrajectoryHash(const TrajectoryHash&) = delete;
  TrajectoryHash& operator=(const TrajectoryHash&) = delete;

  /// Observes a link; links are numbered in call order.
  void add(PacketProbe& sent);

  void record(const Event& e);
  /// Returns the hash over (time since the epoch, link, opcode, bytes, source, address, count) of every packet on every
  /// link.
  std::uint64_t trajectory() const;
  /// Returns the hash over the bytes that each link has carried, independent of time.
  std::uint64_t traffic() const;
  /// Restarts; times count from `epoch`, so that a run has the same hash alone and within a sweep.
  void reset(Tick epoch = 0);

 private:
  /// Only the lane of the link's sender writes to it.
  struct alignas(64) Link {
    TrajectoryHash* hash;
    std::uint32_t index;
    std::uint64_t bytes, trajectory;
  };
  Tick epoch_ = 0;
  std::deque<Link> links_;  // stable addresses, as the probes keep pointers to them
};

}  // namespace tributary
