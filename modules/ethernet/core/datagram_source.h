#pragma once
/// DatagramSource: an engine of a host that sends datagrams at a rate: background traffic, incast; not part of any paper.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"

namespace tributary {

/// Frame k is due k intervals after the start, or, with random gaps, a gap of 0 to 2 intervals after the one before. While
/// `queue` frames wait for the link, the next one waits in the application. All of it is a function of (seed, station, k)
/// and of what the link does.
class DatagramSource {
 public:
  enum class Gaps : std::uint8_t { even, random };
  struct Config {
    std::uint16_t station = 0;                                        ///< its own
    std::vector<std::uint16_t> destinations{};                        ///< each frame goes to one of them
    Bandwidth rate;                                                   ///< on the wire, preambles and gaps included
    unsigned payload = 1024;                                          ///< bytes of a datagram
    std::uint64_t count = std::numeric_limits<std::uint64_t>::max();  ///< frames in all
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
  void stop(Tick when) { stop_ = when; }
  /// When it has something to do; `never` while the link alone can change that, and at the end.
  Tick next() const { return outstanding_.size() < config_.queue && due_ < stop_ ? due_ : never; }
  /// Hands all frames to the link that are due up to `horizon`.
  void run(Tick horizon);
  /// A frame leaves by its port (EthernetLinks::finish): maybe one of its own.
  void sent(const EthernetLinks::Sent& sent, Tick start);

  std::uint64_t made() const { return made_; }
  void reset();

 private:
  void make(Tick ready);
  void find_next();

  Config config_;
  EthernetLinks& links_;
  unsigned port_;
  PacketPool& pool_;
  Tick start_ = 0, due_ = never, stop_ = never, horizon_ = 0;
  Tick interval_;            // of frames at its rate, rounded down
  std::uint64_t remainder_;  // in 1/rate of a picosecond
  std::uint64_t made_ = 0;
  RingQueue<const Packet*> outstanding_;  // wait for the link
};

}  // namespace tributary
