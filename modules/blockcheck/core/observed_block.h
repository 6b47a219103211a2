#pragma once
/// ObservedBlock: the observers of one block, and the transaction that is shown to them.

#include <memory>
#include <utility>
#include <vector>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

using BlockObservers = std::vector<std::shared_ptr<BlockObserver>>;

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
    for (const auto& observer : observers_) observer->accessed(access_);
    ++access_.ticket;
  }
  void reset() {
    for (const auto& observer : observers_) observer->reset();
  }
  void describe(ProbeDirectory& directory) {
    for (const auto& observer : observers_) observer->describe(directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const {
    for (const auto& observer : observers_) observer->check_elements(type, op, operands);
  }

 private:
  BlockObservers observers_;
  BlockAccess access_;
};

}  // namespace tributary
