#pragma once
/// ChunkTuner: tunes the chunk size by the rates of previous messages, as Blink's MIAD (Wang et al., MLSys 2020, 4.2).

#include <cstdint>

namespace tributary::collective {

/// Multiplicative increase: the size starts at `first` and doubles while the rate rises. Additive decrease: after the first
/// message that is no faster, the size shrinks by `first` while the rate rises. If `first` itself is the best of these, the
/// size halves instead while the rate does not fall. Then it stays at the first size with the greatest measured rate.
class ChunkTuner {
 public:
  static constexpr std::uint64_t standard_first = 1'000'000, standard_least = 16'000;

  /// Sizes in bytes. The tuner never exceeds `most`, such as the size of the message, or `first` if that is larger, and
  /// never goes below the smaller of `least` and `first`.
  explicit ChunkTuner(std::uint64_t first = standard_first, std::uint64_t most = std::uint64_t{1} << 30,
                      std::uint64_t least = standard_least);

  /// Returns the tuner of messages of one size: chunks begin at standard_first, and the smallest cut a message into a few
  /// thousand pieces.
  static ChunkTuner of_messages(std::uint64_t message_bytes);

  /// Returns the chunk size of the next message.
  std::uint64_t chunk() const { return chunk_; }
  /// True if the tuner has found its size.
  bool steady() const { return phase_ == Phase::steady; }
  /// Records the rate of the message with chunks of chunk(), in any unit.
  void measured(double rate);

 private:
  enum class Phase : std::uint8_t { grows, shrinks, halves, steady };

  /// Sets the size of the next message. Returns false if there is no size to try.
  bool next(bool rises, bool falls);

  std::uint64_t first_, most_, least_, chunk_;
  Phase phase_ = Phase::grows;
  double last_ = 0, best_rate_ = 0;
  std::uint64_t best_;
};

}  // namespace tributary::collective
