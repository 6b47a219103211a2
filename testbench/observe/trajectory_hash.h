#pragma once

#include <cstdint>
#include <deque>

#include "modules/packet/packet_view.h"

namespace tributary {

/// Fingerprint of what happened on all links: which packet started when on which link. A sum of mixed words, so that neither
/// the order in which devices run nor the engine shows, only a different event. Must outlive the probes' last firing.
class TrajectoryHash {
 public:
  /// One packet on one link. `time` is the start of serialisation.
  struct Event {
    Tick time;
    std::uint32_t link;
    std::uint8_t opcode;
    std::uint16_t bytes;  ///< on the wire
    std::uint16_t source;
    std::uint16_t count;
    std::uint64_t address;
  };

  TrajectoryHash() = default;
  TrajectoryHash(const TrajectoryHash&) = delete;
  TrajectoryHash& operator=(const TrajectoryHash&) = delete;

  /// Observes a link; links are numbered in the order of these calls.
  void add(PacketProbe& sent);

  void record(const Event& e);
  /// Over (time since the epoch, link, opcode, bytes, source, address, count) of every packet on every link.
  std::uint64_t trajectory() const { return trajectory_; }
  /// Over the bytes that each link has carried, whenever they came.
  std::uint64_t traffic() const;
  /// Starts anew; times count from `epoch` on, so that a run hashes alike alone and within a sweep.
  void reset(Tick epoch = 0);

 private:
  struct Link {
    TrajectoryHash* hash;
    std::uint32_t index;
    std::uint64_t bytes;
  };
  std::uint64_t trajectory_ = 0;
  Tick epoch_ = 0;
  std::deque<Link> links_;  // stable addresses: the probes keep them
};

}  // namespace tributary
