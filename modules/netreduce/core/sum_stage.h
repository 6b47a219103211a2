#pragma once
/// SumStage: times at which the sums of slots enter and leave the combinator (Liu et al., 4).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/slot_commit.h"
#include "modules/netreduce/core/slot_storage.h"

namespace tributary {

/// A slot waits for its operands and for its unit of the combinator, which it occupies for a cycle, one cycle a beat, and
/// the interval of the combinator. Its operands are read while it enters. Sums of a ring leave in the order in which their
/// slots were committed.
class SumStage {
 public:
  static constexpr unsigned read_cycles = 1;

  SumStage(const AcceleratorParams& params, const AcceleratorClock& clock, PartPort<CombineTransaction>& combinator,
           SlotStorage& storage)
      : params_(params), clock_(clock), combinator_(combinator), storage_(storage) {}

  void clear();
  /// Adds the slots of one more ring, which outlives its stay.
  void add(const AggregationRing& ring, std::uint32_t slots);
  std::size_t slots(unsigned ring) const { return rings_[ring].operands_at.size(); }

  /// An operand of the slot is in the payload buffer at `when`.
  void stored(unsigned ring, std::uint32_t slot, Tick when);
  /// Adds the operands of a full slot. Returns the time at which the first beat of the sum leaves the adders.
  Tick combine(const SlotCommit& c, std::uint32_t slot);
  /// Reads a sum that is sent again, one beat in a cycle, faster than the port sends it. A stored sum must not overtake sums
  /// in the adders, or its receiver would see a gap at each packet that is sent again.
  Tick read_again(const SlotCommit& c) const { return std::max(c.when, rings_[c.ring].latest) + clock_.cycles(read_cycles); }

 private:
  struct Ring {
    const AggregationRing* config;
    std::vector<Tick> operands_at;  // by slot: all operands are in the payload buffer
    Tick latest = 0;                // the latest sum leaves the adders
  };
  Tick& unit_of(unsigned ring);
  Tick latest(Ring& ring, Tick value_at) { return ring.latest = std::max(ring.latest, value_at); }

  const AcceleratorParams& params_;
  const AcceleratorClock& clock_;
  PartPort<CombineTransaction>& combinator_;
  SlotStorage& storage_;
  std::vector<Ring> rings_;
  std::vector<Tick> free_at_;  // by unit: it accepts the next slot
};

}  // namespace tributary
