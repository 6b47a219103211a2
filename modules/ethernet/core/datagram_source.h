#pragma once
/// DatagramSource: a part of a host that sends datagrams at a rate, for background traffic and incast; not part of any
/// paper.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "modules/ethernet/core/ethernet_links.h"

namespace tributary {

/// Frame k is due k intervals after the start or, with random gaps, 0 to 2 intervals after frame k - 1. It is skipped if
/// `queue` frames of its class are queued for the link when it is due: load that a full link refuses is lost, not postponed.
/// All frames are a function of (seed, station, k) and of the link.
class DatagramSource {
 public:
  enum class Gaps : std::uint8_t { even, random };
  struct Config {
    std::uint16_t station = 0;                                        ///< station of this source
    std::vector<std::uint16_t> destinations{};                        ///< each frame goes to one of them, chosen at random
    Bandwidth rate;                                                   ///< on the wire, including preambles and gaps
    unsigned payload = 1024;                                          ///< payload bytes of a datagram
    std::uint64_t count = std::numeric_limits<std::uint64_t>::max();  ///< number of frames, including skipped ones
    Gaps gaps = Gaps::even;
    unsigned queue = 64;
    std::uint8_t traffic_class = background_class;
    bool ecn = false;  ///< switches may mark its frames
    std::uint16_t udp_port = 0;
    std::uint64_t seed = 0;
  };

  /// Throws std::invalid_argument if there is no destination, no rate or no queue.
  DatagramSource(const Config& config, EthernetLinks& links, unsigned port, PacketPool& pool);

  /// The first frame is due at `t0`; with random gaps, after a first gap from `t0`.
  void start(Tick t0);
  /// No frame is due at `when` or later.
  void stop(Tick when) { stop_ = std::min(stop_, when); }
  /// Returns the time at which the next frame is due; `never` after the last one.
  Tick next() const { return due_ < stop_ ? due_ : never; }
  /// Queues the frames that are due up to `horizon` at the link. All other frames of this port up to then are already
  /// queued.
  void run(Tick horizon);

  std::uint64_t made() const { return number_ - skipped_; }
  std::uint64_t skipped() const { return skipped_; }
  void reset();
  /// Sets the seed of future runs.
  void reseed(std::uint64_t seed) { config_.seed = seed; }

 private:
  void make();
  void find_next();

  Config config_;
  EthernetLinks& links_;
  unsigned port_;
  PacketPool& pool_;
  Tick start_ = 0, due_ = never, stop_ = never;
  Tick interval_;             // average interval of frames, rounded down
  std::uint64_t remainder_;   // rest of the interval, in 1/rate of a picosecond
  std::uint64_t number_ = 0;  // number of the next frame
  std::uint64_t skipped_ = 0;
};

}  // namespace tributary
