#pragma once
/// ObservedBlock: the observers of one block, and the transactions that are shown to them.

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "modules/base/clocked_part.h"
#include "modules/blockcheck/core/block_access.h"

namespace tributary {

using BlockObservers = std::vector<std::shared_ptr<BlockObserver>>;

/// Transactions are shown in the order of their requests: those after a request that is answered later wait for its answer.
class ObservedBlock {
 public:
  explicit ObservedBlock(BlockObservers observers) : observers_(std::move(observers)) {}

  /// Returns false if there are no observers.
  bool observed() const { return !observers_.empty(); }

  /// Begins an access. Returns the fields of its request, to be read before the block changes them.
  FieldValues& ask(Tick time) {
    access_.time = time;
    access_.request.clear();
    access_.answer.clear();
    return access_.request;
  }
  FieldValues& answer() { return access_.answer; }
  /// Ends the access.
  void answered(Tick interval, Tick latency, const EarlyTime& early = {}) {
    access_.interval = interval;
    access_.latency = latency;
    access_.early = early;
    if (waiting_.empty()) return show(access_);
    waiting_.push_back({access_, 0, true});
  }
  void reset() {
    waiting_.clear();
    for (const auto& observer : observers_) observer->reset();
  }
  void describe(ProbeDirectory& directory) {
    for (const auto& observer : observers_) observer->describe(directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const {
    for (const auto& observer : observers_) observer->check_elements(type, op, operands);
  }

  /// Ends the access, whose answer follows.
  void deferred(Ticket ticket, Tick interval) {
    access_.interval = interval;
    access_.latency = 0;
    access_.early = {};
    waiting_.push_back({access_, ticket, false});
  }
  /// Returns the access of a ticket that waits for its answer; null if there is none.
  BlockAccess* waiting(Ticket ticket) {
    const auto at = find(ticket);
    return at == waiting_.end() ? nullptr : &at->access;
  }
  /// The answer of a ticket is complete.
  void completed(Ticket ticket) {
    const auto at = find(ticket);
    if (at != waiting_.end()) at->complete = true;
    while (!waiting_.empty() && waiting_.front().complete) {
      show(waiting_.front().access);
      waiting_.pop_front();
    }
  }

 private:
  struct Waiting {
    BlockAccess access;
    Ticket ticket;
    bool complete;
  };

  std::deque<Waiting>::iterator find(Ticket ticket) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Waiting& w) { return !w.complete && w.ticket == ticket; });
  }
  void show(BlockAccess& access) {
    access.ticket = shown_++;
    for (const auto& observer : observers_) observer->accessed(access);
  }

  BlockObservers observers_;
  BlockAccess access_;
  std::deque<Waiting> waiting_;
  std::uint32_t shown_ = 0;
};

}  // namespace tributary
