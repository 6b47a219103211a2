#pragma once
/// ChunkTuner: tunes the chunk size by the rates of previous messages, as Blink's MIAD (Wang et al., MLSys 2020, 4.2).

#include <cstdint>

namespace tributary::collective {

/// Multiplicative increase: the size starts at `first` and doubles while the rate rises. Additive decrease: after the first
/// message that is no faster, the size shrinks by `first` while the rate rises. Then it stays at the first size with the
/// greatest measured rate.
class ChunkTuner {
 public:
  static constexpr std::uint64_t standard_first = 1'000'000;

  /// Sizes in bytes, with first <= most. The tuner never exceeds `most`, such as the size of the message.
  explicit ChunkTuner(std::uint64_t first = standard_first, std::uint64_t most = std::uint64_t{1} << 30);

  /// Returns the chunk size of the next message.
  std::uint64_t chunk() const { return chunk_; }
  /// True if the tuner has found its size.
  bool steady() const { return phase_ == Phase::steady; }
  /// Records the rate of the message with chunks of chunk(), in any unit.
  void measured(double rate);

 private:
  enum class Phase : std::uint8_t { grows, shrinks, steady };

  std::uint64_t first_, most_, chunk_;
  Phase phase_ = Phase::grows;
  double last_ = 0, best_rate_ = 0;
  std::uint64_t best_;
};

}  // namespace tributary::collective
