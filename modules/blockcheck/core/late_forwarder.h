#pragma once
/// LateForwarder: passes the answers that a block gives after the call on to its device, and reports each to an observer.

#include <functional>
#include <utility>

#include "modules/base/late_answer.h"

namespace tributary {

/// Takes the place of the block for its device, and of the device for the block.
class LateForwarder final : public ClockedPart, public AnswerListener {
 public:
  /// Receives an answer before the device does.
  struct Observer {
    std::function<void(Ticket ticket, Tick when)> answered;
    std::function<void(Ticket ticket)> completed;
  };
  explicit LateForwarder(Observer observer) : observer_(std::move(observer)) {}

  /// Call before a request. The block then completes its data at this.
  void listen(LateAnswer& late) {
    if (late.listener != nullptr) late.listener = before(late.listener);
  }
  /// Call after a request that the block has deferred.
  void forward(LateAnswer& late) { late.part = after(late.part); }
  /// Returns the listener that the block is given in place of the device's.
  AnswerListener* before(AnswerListener* device) { return device_ = device, this; }
  /// Returns the part that the device is given in place of the block.
  ClockedPart* after(ClockedPart* part) { return part_ = part, this; }

  Tick next() const override { return part_->next(); }
  void advance(Tick to, AnswerListener& listener) override {
    device_ = &listener;
    part_->advance(to, *this);
  }
  bool out_of_order() const override { return part_->out_of_order(); }
  void answered(Ticket ticket, Tick when) override {
    observer_.answered(ticket, when);
    device_->answered(ticket, when);
  }
  void accepted(Ticket ticket, Tick when) override { device_->accepted(ticket, when); }
  void completed(Ticket ticket) override {
    observer_.completed(ticket);
    device_->completed(ticket);
  }

 private:
  Observer observer_;
  ClockedPart* part_ = nullptr;
  AnswerListener* device_ = nullptr;
};

}  // namespace tributary
