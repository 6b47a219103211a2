#pragma once
/// EcnMarker: marks frames of a switch that have met congestion (RFC 3168; thresholds as in DCQCN, Zhu et al., SIGCOMM
/// 2015).

#include <cstdint>
#include <stdexcept>

#include "modules/base/random.h"

namespace tributary {

/// A frame is never marked if its queue holds `kmin` bytes or less, and always if it holds more than `kmax`. In between, the
/// probability rises linearly from 0 to `pmax`.
class EcnMarker {
 public:
  struct Config {
    bool on = false;
    std::uint64_t kmin = 0, kmax = 0;
    double pmax = 1;
    std::uint64_t seed = 0;
  };
  /// Throws std::invalid_argument unless kmin < kmax.
  explicit EcnMarker(const Config& config)
      : kmin_(config.on ? config.kmin : ~std::uint64_t{0}),
        kmax_(config.kmax),
        pmax_(static_cast<std::uint64_t>(config.pmax * 4294967296.0)),
        seed_(config.seed) {
    if (config.on && config.kmin >= config.kmax) throw std::invalid_argument("ecn.kmin must be below ecn.kmax");
  }

  /// True if no frame is marked at this queue length.
  bool below(std::uint64_t queue) const { return queue <= kmin_; }
  /// True if frame `number` of `port`, with `queue` bytes before it, is marked.
  bool marks(std::uint64_t queue, unsigned port, std::uint64_t number) const {
    if (below(queue)) return false;
    if (queue > kmax_) return true;
    return (random_at(seed_, port, number) >> 32) * (kmax_ - kmin_) < pmax_ * (queue - kmin_);
  }

 private:
  std::uint64_t kmin_, kmax_;
  std::uint64_t pmax_;  // in 1/2^32
  std::uint64_t seed_;
};

}  // namespace tributary
