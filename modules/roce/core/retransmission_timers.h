#pragma once
/// RetransmissionTimers: the deadlines of the send queues of a NIC, in order.

#include "modules/base/host/ring_queue.h"
#include "modules/roce/core/queue_pair_table.h"

namespace tributary {

/// Each ACK postpones a deadline. A queue pair has at most one entry, not after its deadline, and the entry is updated when
/// it is first in order.
class RetransmissionTimers {
 public:
  explicit RetransmissionTimers(QueuePairTable& pairs) : pairs_(pairs) {}

  /// The send queue of a queue pair has changed.
  void update(unsigned index) {
    if (!pairs_[index].timer_queued) set(index);
  }
  /// Updates the first entries, so that next() is a deadline.
  void settle() {
    while (!entries_.empty()) {
      const Entry e = entries_.front();
      if (pairs_[e.index].send.deadline() == e.when) return;
      entries_.pop();
      set(e.index);
    }
  }
  Tick next() const { return entries_.empty() ? never : entries_.front().when; }
  /// Returns the queue pair of the first entry. Precondition: there is one.
  unsigned first() const { return entries_.front().index; }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Tick when;
    unsigned index;
  };
  void set(unsigned index) {
    QueuePair& qp = pairs_[index];
    qp.timer_queued = qp.send.deadline() != never;
    if (qp.timer_queued)
      entries_.insert_sorted([](const Entry& a, const Entry& b) { return a.when < b.when; }, qp.send.deadline(), index);
  }

  QueuePairTable& pairs_;
  RingQueue<Entry> entries_;
};

}  // namespace tributary
