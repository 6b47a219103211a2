#pragma once
/// PinReductionUnit: a reduction unit with pins in kernel time, at the socket of a NIC (docs/rtl.md#pins-in-kernel-time).

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/nic/reduction_unit.h"
#include "modules/rtl/core/reduction_passes.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// The data of packets are kept until their chunk enters, pass by pass, one in each clock at most. A sum is written when it
/// leaves; a chunk is added with its last pass. A pass waits for sums of earlier passes that it adds to.
class PinReductionUnit : public TargetModule<ReductionProtocol>,
                         public KernelTimePart,
                         public DeferringBlock,
                         public ElementLimits,
                         private ClockedPart {
 public:
  /// Throws std::invalid_argument as PinPort does, and for a stated latency, as a pass may wait for others.
  PinReductionUnit(const sc_core::sc_module_name& name, const PinBlock& block, const NicParams& params);

  void reset() override;
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override;
  /// The probes of the pins, `rtl.s_sum` and so on.
  void describe(ProbeDirectory& directory) override { port_.unit().describe(directory, std::string(name()) + ".rtl."); }

 private:
  struct Chunk {
    LateAnswer late;
    ElementType type;
    ReduceOp op;
    ReductionPasses passes;
    std::uint64_t edge;  // at which it begins, at the earliest
  };
  struct Accepting {
    Ticket ticket;
    AnswerListener* listener;
    std::uint64_t beats;  // passes of the unit, up to the last one of the chunk
  };
  void before_end_of_elaboration() override { require_unobserved(*this); }
  void b_transport(ReductionOperand& operand, sc_core::sc_time& delay) override;
  void begin(ReductionOperand& chunk, Tick now);
  void fall();
  void accept();
  void offer_next();
  void store(const RtlBeat& beat, unsigned pass, unsigned passes);
  // ClockedPart: the kernel's clock gives the answers
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}

  RtlBlock rtl_;
  ReductionCore nominal_;
  std::uint64_t units_, width_;
  PinPort port_;
  std::map<std::uint64_t, ReductionOperands> packets_;  // by chunk: packets whose chunk has not begun
  std::deque<Chunk> chunks_;                            // whose passes have not all been offered
  std::deque<ReductionOperands> in_flight_;             // passes whose sums have not left
  std::deque<Accepting> accepting_;                     // chunks after which the unit is not idle
  std::uint64_t offered_ = 0;                           // passes
};

}  // namespace tributary
