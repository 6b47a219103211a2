#pragma once
/// PinCombinator: a combinator with pins in kernel time, at the socket of an accelerator (docs/rtl.md#pins-in-kernel-time).

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/blockcheck/core/block_access.h"
#include "modules/netreduce/accelerator_modules.h"
#include "modules/rtl/core/combinator_codec.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// An answer is deferred until its first beat leaves; its bytes follow, a beat in each clock. A beat that is late ends the
/// run with the rule `late`. With a stated latency an answer that is early waits, and a later one is late. Units may answer
/// in another order than they were asked. A shadow receives its beats a clock later, and its device runs ahead as always.
/// Other observers, which read an answer at once, are refused.
class PinCombinator : public TableModule<CombineTransaction>,
                      public KernelTimePart,
                      public ElementLimits,
                      private ClockedPart {
 public:
  /// Has an instance of the block for each unit: `netreduce.accelerator.combinators`, or one. Throws std::invalid_argument
  /// as CombinatorCodec and PinPort do.
  PinCombinator(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params);

  Tick nominal_latency() const override { return params_.clock.value; }
  Tick shadow_shift() const override { return driver_ == nullptr ? 0 : params_.clock.value; }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override;
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    codec_.check_elements(type, op, operands);
  }
  /// The probes of the model's combinator, and those of the pins of the first unit, `rtl.s_id` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Unit {
    std::unique_ptr<PinPort> port;
    SignalProbe busy{};
    std::uint16_t id = 0;
  };

  void before_end_of_elaboration() override;
  void b_transport(CombineTransaction& t, sc_core::sc_time& delay) override;
  // ClockedPart: the kernel's clock gives the answers
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}
  bool out_of_order() const override { return true; }
  void require_unit(const CombineTransaction& t, unsigned unit) const;
  void request(Unit& unit, const CombineTransaction& t);

  CombinatorCodec codec_;
  AcceleratorParams params_;
  unsigned latency_;
  std::deque<Unit> units_;
  BlockDriver* driver_;  // null unless it drives a shadow
};

}  // namespace tributary
