#pragma once
/// CopyOrder: keeps a record after the blocks of earlier copies, which arrive in any order.

#include <cstdint>
#include <deque>
#include <stdexcept>

namespace tributary {

/// One per stream and peer. Each block carries its turn: the number of earlier records, mod 2^16. A record is due when all
/// blocks of its turn have been counted (at their receiver, or by their acks at the sender) and the previous record is due.
class CopyOrder {
 public:
  static constexpr std::uint16_t none = 0xFFFF;  ///< in packets: no order

  /// Counts a block of that turn. Calls `due(semaphore)` for each record that becomes due.
  template <class Due>
  void counted(std::uint16_t turn, Due due) {
    ++at(turn).counted;
    release(due);
  }
  /// Adds the record after `blocks` blocks of that turn.
  template <class Due>
  void told(std::uint16_t turn, std::uint64_t blocks, std::uint32_t semaphore, Due due) {
    Turn& t = at(turn);
    if (t.told) throw std::logic_error("two records of one turn");
    t.told = true;
    t.blocks = blocks, t.semaphore = semaphore;
    release(due);
  }

  /// Returns true if a record is not due.
  bool waits() const { return !turns_.empty() && turns_.front().told; }
  /// Semaphore and missing blocks of the first record that is not due.
  std::uint32_t semaphore() const { return turns_.front().semaphore; }
  std::uint64_t missing() const { return turns_.front().blocks - turns_.front().counted; }

 private:
  static constexpr std::uint16_t most_ahead = 0x7FFF;
  struct Turn {
    std::uint64_t counted = 0, blocks = 0;
    std::uint32_t semaphore = 0;
    bool told = false;
  };
  Turn& at(std::uint16_t turn) {
    const std::uint16_t index = static_cast<std::uint16_t>(turn - first_);
    if (index > most_ahead) throw std::logic_error("a block of a turn that has ended");
    if (index >= turns_.size()) turns_.resize(index + 1u);
    return turns_[index];
  }
  template <class Due>
  void release(Due due) {
    while (waits() && turns_.front().counted >= turns_.front().blocks) {
      if (turns_.front().counted > turns_.front().blocks) throw std::logic_error("more blocks than were copied");
      const std::uint32_t semaphore = turns_.front().semaphore;
      turns_.pop_front();
      ++first_;
      due(semaphore);
    }
  }

  std::deque<Turn> turns_;  // from the first turn that has not ended
  std::uint16_t first_ = 0;
};

}  // namespace tributary
