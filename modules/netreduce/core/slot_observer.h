#pragma once
/// SlotObserver: shows the effect of packets and sums on the slots of an accelerator.

#include <vector>

#include "modules/netreduce/core/slot_commit.h"
#include "modules/netreduce/core/slot_event.h"
#include "modules/netreduce/core/slot_storage.h"

namespace tributary {

class SlotObserver {
 public:
  /// The rings and the storage outlive this.
  SlotObserver(const std::vector<AggregationRing>& rings, const SlotStorage& storage) : rings_(rings), storage_(storage) {}

  bool observed() const { return events_.observed(); }
  /// Shows the effect of the packet of `c` on its slot.
  void show(SlotEvent::Kind kind, const SlotCommit& c, std::uint32_t slot, std::uint64_t bitmap, Tick when);
  /// Shows that a result from above passes the slot.
  void show_passed(unsigned ring, std::uint32_t slot, const Packet& frame, Tick when);
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add(prefix + "slot.events", events_, "events of slots");
  }

 private:
  const std::vector<AggregationRing>& rings_;
  const SlotStorage& storage_;
  SlotProbe events_;
};

}  // namespace tributary
