#pragma once
/// NicArbiter: selects the queue pair of a NIC that sends next.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"

namespace tributary {

/// Queue pairs with pending packets are served round-robin, packet by packet, in the order of their numbers. A queue pair
/// whose pace does not allow a packet yet is skipped.
class NicArbiter {
 public:
  /// Adds a queue pair, with nothing pending.
  void add() {
    queue_pairs_.push_back({});
    if (queue_pairs_.size() > 64 * ready_.size()) ready_.push_back(0);
  }
  /// The queue pair has a packet that may leave from `at` on (0: immediately).
  void offer(unsigned queue_pair, Tick at) {
    QueuePair& q = queue_pairs_[queue_pair];
    if (q.state != idle && q.at == at) return;
    clear(queue_pair);
    q.at = at;
    if (at == 0) {
      q.state = ready;
      ready_[queue_pair / 64] |= bit(queue_pair);
      ++ready_count_;
    } else {
      q.state = paced;
      paced_.insert_sorted([](const Turn& a, const Turn& b) { return a.at < b.at; }, at, queue_pair);
    }
  }
  /// The queue pair has nothing pending.
  void withdraw(unsigned queue_pair) { clear(queue_pair); }

  /// Returns the time at which the next queue pair may send: 0 if immediately, `never` if none has a packet.
  Tick next() const { return ready_count_ != 0 ? 0 : paced_.empty() ? never : paced_.front().at; }
  /// Selects the queue pair that sends at `now`, not before next(). It has nothing pending until it offers again.
  unsigned take(Tick now) {
    while (!paced_.empty() && paced_.front().at <= now) {
      const unsigned queue_pair = paced_.front().queue_pair;
      clear(queue_pair);
      queue_pairs_[queue_pair].at = 0;
      queue_pairs_[queue_pair].state = ready;
      ready_[queue_pair / 64] |= bit(queue_pair);
      ++ready_count_;
    }
    const unsigned taken = first_from(turn_);
    clear(taken);
    turn_ = taken + 1 == queue_pairs_.size() ? 0 : taken + 1;
    return taken;
  }
  void reset() {
    for (QueuePair& q : queue_pairs_) q = {};
    std::fill(ready_.begin(), ready_.end(), 0);
    paced_.clear();
    ready_count_ = turn_ = 0;
  }

 private:
  enum State : std::uint8_t { idle, ready, paced };
  struct QueuePair {
    Tick at = 0;
    State state = idle;
  };
  struct Turn {
    Tick at;
    unsigned queue_pair;
  };
  static std::uint64_t bit(unsigned queue_pair) { return std::uint64_t{1} << (queue_pair % 64); }
  void clear(unsigned queue_pair) {
    QueuePair& q = queue_pairs_[queue_pair];
    if (q.state == ready) {
      ready_[queue_pair / 64] &= ~bit(queue_pair);
      --ready_count_;
    } else if (q.state == paced) {
      std::uint32_t i = 0;
      while (paced_[i].queue_pair != queue_pair) ++i;
      for (; i > 0; --i) paced_[i] = paced_[i - 1];
      paced_.pop();
    }
    q.state = idle;
  }
  /// Precondition: a bit is set.
  unsigned first_from(unsigned turn) const {
    std::size_t word = turn / 64;
    std::uint64_t bits = ready_[word] & (~std::uint64_t{0} << (turn % 64));
    while (bits == 0) {
      word = word + 1 == ready_.size() ? 0 : word + 1;
      bits = ready_[word];
    }
    return static_cast<unsigned>(64 * word) + static_cast<unsigned>(__builtin_ctzll(bits));
  }

  std::vector<QueuePair> queue_pairs_;
  std::vector<std::uint64_t> ready_;  // one bit for each queue pair
  RingQueue<Turn> paced_;             // in order of time
  unsigned ready_count_ = 0;
  unsigned turn_ = 0;  // queue pair with the highest priority
};

}  // namespace tributary
