#pragma once
/// LateWatch: shows the deferred answers of a block to its monitor.

#include "modules/base/block_monitor.h"
#include "modules/base/late_answer.h"

namespace tributary {

/// Lies between the block and its device: it is the listener of the block, and the part of the device.
class LateWatch final : public ClockedPart, public AnswerListener {
 public:
  /// The block is called. Returns the listener that the block is given in place of the device's.
  AnswerListener* before(AnswerListener* device) { return device_ = device, this; }
  /// The block defers its answer. Returns the part that the device is given in place of `part`.
  ClockedPart* after(ClockedPart* part, Ticket ticket, BlockMonitor& monitor) {
    part_ = part;
    monitor_ = &monitor;
    monitor.deferred(ticket);
    return this;
  }

  Tick next() const override { return part_->next(); }
  void advance(Tick to, AnswerListener& device) override {
    device_ = &device;
    part_->advance(to, *this);
  }
  bool out_of_order() const override { return part_->out_of_order(); }
  void answered(Ticket ticket, Tick when) override {
    monitor_->answered(ticket, when);
    device_->answered(ticket, when);
  }
  void accepted(Ticket ticket, Tick when) override { device_->accepted(ticket, when); }
  void completed(Ticket ticket) override { device_->completed(ticket); }

 private:
  BlockMonitor* monitor_ = nullptr;
  ClockedPart* part_ = nullptr;
  AnswerListener* device_ = nullptr;
};

}  // namespace tributary
