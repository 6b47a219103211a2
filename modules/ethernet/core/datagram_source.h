#pragma once
/// DatagramSource: an engine of a host that sends datagrams at a rate: background traffic, incast; not part of any paper.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "modules/ethernet/core/ethernet_links.h"

namespace tributary {

/// Frame k is due k intervals after the start, or, with random gaps, a gap of 0 to 2 intervals after the one before. It is
/// skipped when `queue` frames of its class wait for the link then: load that a full link refuses is lost, not put off. All
/// of it is a function of (seed, station, k) and of what the link does.
class DatagramSource {
 public:
  enum class Gaps : std::uint8_t { even, random };
  struct Config {
    std::uint16_t station = 0;                                        ///< its own
    std::vector<std::uint16_t> destinations{};                        ///< each frame goes to one of them
    Bandwidth rate;                                                   ///< on the wire, preambles and gaps included
    unsigned payload = 1024;                                          ///< bytes of a datagram
    std::uint64_t count = std::numeric_limits<std::uint64_t>::max();  ///< frames in all, skipped ones too
    Gaps gaps = Gaps::even;
    unsigned queue = 64;
    std::uint8_t traffic_class = background_class;
    bool ecn = false;  ///< its frames can be marked
    std::uint16_t udp_port = 0;
    std::uint64_t seed = 0;
  };

  /// Throws std::invalid_argument without a destination, a rate or a queue.
  DatagramSource(const Config& config, EthernetLinks& links, unsigned port, PacketPool& pool);

  /// Its first frame is due at `t0` (with random gaps: after the first of them).
  void start(Tick t0);
  /// No frame is due at `when` or later.
  void stop(Tick when) { stop_ = std::min(stop_, when); }
  /// When its next frame is due; `never` at the end.
  Tick next() const { return due_ < stop_ ? due_ : never; }
  /// Hands the frames to the link that are due up to `horizon`. What others send by this port before then, it has.
  void run(Tick horizon);

  std::uint64_t made() const { return number_ - skipped_; }
  std::uint64_t skipped() const { return skipped_; }
  void reset();
  /// Of the runs to come.
  void reseed(std::uint64_t seed) { config_.seed = seed; }

 private:
  void make();
  void find_next();

  Config config_;
  EthernetLinks& links_;
  unsigned port_;
  PacketPool& pool_;
  Tick start_ = 0, due_ = never, stop_ = never;
  Tick interval_;            // of frames at its rate, rounded down
  std::uint64_t remainder_;  // in 1/rate of a picosecond
  std::uint64_t number_ = 0;  // of the next frame
  std::uint64_t skipped_ = 0;
};

}  // namespace tributary
