#pragma once
/// The chunk size of the next message from the rates of those before: Blink's MIAD (Wang et al., MLSys 2020, 4.2).

#include <cstdint>

namespace tributary::collective {

/// Multiplicative increase: from `first` on the size doubles while the rate rises. Additive decrease: after the first
/// message that is no faster, the size shrinks by `first` while the rate rises. Then it stays at the size with the greatest
/// rate measured, of equal ones the first.
class ChunkTuner {
 public:
  static constexpr std::uint64_t standard_first = 1'000'000;

  /// Sizes in bytes, first <= most: the tuner never exceeds `most`, such as the size of the message.
  explicit ChunkTuner(std::uint64_t first = standard_first, std::uint64_t most = std::uint64_t{1} << 30);

  /// Of the next message.
  std::uint64_t chunk() const { return chunk_; }
  /// Has found its size.
  bool steady() const { return phase_ == Phase::steady; }
  /// The message in chunks of chunk() had this rate, in any unit.
  void measured(double rate);

 private:
  enum class Phase : std::uint8_t { grows, shrinks, steady };

  std::uint64_t first_, most_, chunk_;
  Phase phase_ = Phase::grows;
  double last_ = 0, best_rate_ = 0;
  std::uint64_t best_;
};

}  // namespace tributary::collective
