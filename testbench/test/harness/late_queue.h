#pragma once
/// LateQueue: answers of a part of a test that follow later, in the order of their times.

#include <algorithm>
#include <deque>
#include <utility>

#include "modules/base/clocked_part.h"

namespace tributary {

/// Faults of answers that follow later.
enum class AnswerFault {
  none,
  unknown,  ///< a request is answered twice
  early,    ///< an answer lies before its request
  order,    ///< the second answer passes the first
  nothing,  ///< a request that has no answer is deferred
};

class LateQueue final : public ClockedPart {
 public:
  /// `ordered`: no answer passes an earlier one.
  explicit LateQueue(bool ordered, AnswerFault fault = AnswerFault::none) : ordered_(ordered), fault_(fault) {}

  void add(Ticket ticket, Tick due) {
    if (ordered_ && !waiting_.empty()) due = std::max(due, waiting_.back().due);
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.due > due; });
    waiting_.insert(at, {ticket, due});
  }
  void clear() { waiting_.clear(); }

  Tick next() const override { return waiting_.empty() ? never : waiting_.front().due; }
  void advance(Tick to, AnswerListener& listener) override {
    if (fault_ == AnswerFault::order && waiting_.size() > 1) std::swap(waiting_[0].ticket, waiting_[1].ticket);
    while (!waiting_.empty() && waiting_.front().due <= to) {
      const Waiting first = waiting_.front();
      waiting_.pop_front();
      listener.answered(first.ticket, fault_ == AnswerFault::early ? first.due - 1 : first.due);
      if (fault_ == AnswerFault::unknown) listener.answered(first.ticket, first.due);
    }
  }
  bool out_of_order() const override { return !ordered_; }

 private:
  struct Waiting {
    Ticket ticket;
    Tick due;
  };
  bool ordered_;
  AnswerFault fault_;
  std::deque<Waiting> waiting_;
};

}  // namespace tributary
