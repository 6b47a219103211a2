#pragma once
/// BackgroundTraffic: random unicast writes that load the fabric during the operations; not part of any paper's GPU.

#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

/// Time is divided into slots, each as long as one packet of 144 B on all links of the GPU together; a slot holds a write
/// with probability `load` (Bernoulli). The destination of a write is uniform over the other GPUs, its address uniform over
/// addresses that no memory has, so that writes spread as the fabric's hash spreads blocks. Everything is a function of
/// (seed, GPU, slot number).
class BackgroundTraffic {
 public:
  struct Config {
    double load = 0;  ///< 0 to 1, fraction of the injection rate
    Bandwidth rate;   ///< injection rate of all links together
    unsigned gpus = 0;
    std::uint16_t gpu = 0;
    std::uint64_t seed = 1;
  };
  struct Write {
    std::uint16_t destination = 0;
    std::uint64_t address = 0;
  };
  struct Counts {
    std::uint64_t sent = 0, skipped = 0;  ///< skipped: writes whose link had no room
    std::uint64_t received = 0, acknowledged = 0;
  };

  /// Network addresses of background writes; a fabric manager assigns none of these.
  static constexpr std::uint64_t first_address = std::uint64_t{1} << 62, address_bytes = std::uint64_t{1} << 62;
  static bool owns(std::uint64_t address) { return address - first_address < address_bytes; }

  explicit BackgroundTraffic(const Config& config) : config_(config) {}

  bool enabled() const { return config_.load > 0 && config_.gpus > 1; }
  /// Starts writes, with slot 0 at `t0`, until stop().
  void start(Tick t0);
  /// Stops writes at `when` and later.
  void stop(Tick when) { stop_ = when; }
  /// Returns the time of the next write, or `never`.
  Tick next() const;
  /// Returns the next write and advances to the one after.
  Write take();

  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }
  void reset();
  void reseed(std::uint64_t seed) { config_.seed = seed; }

 private:
  bool holds_a_write(std::uint64_t slot) const;
  std::uint64_t random(std::uint64_t what, std::uint64_t slot) const;
  Tick time_of(std::uint64_t slot) const;
  void find_from(std::uint64_t slot);

  Config config_;
  Counts counts_;
  Tick t0_ = 0, time_ = never, stop_ = never;
  std::uint64_t slot_ = 0;
};

}  // namespace tributary
