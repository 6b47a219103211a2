#pragma once
/// PinCombinator: a combinator with pins in kernel time, at the socket of an accelerator (docs/rtl.md#pins-in-kernel-time).

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/netreduce/accelerator_modules.h"
#include "modules/rtl/core/combinator_codec.h"
#include "modules/rtl/pin_port.h"

namespace tributary {

/// A block with pins as a plug-in delivers it.
struct PinBlock {
  MakePinned make;
  RtlBlock rtl = {};     ///< parameters and elements; no model
  unsigned latency = 0;  ///< clocks from the first beat of a request to the first beat of its answer
};

/// The latency of a sum is that of the block. Its bytes follow, and must be there in time: a beat that is late ends the run
/// with the rule `late`. An answer that is early waits. Observers, which read an answer at once, are refused.
class PinCombinator : public TableModule<CombineTransaction>, public KernelTimePart, public ElementLimits {
 public:
  /// Has an instance of the block for each unit: `netreduce.accelerator.combinators`, or one. Throws std::invalid_argument
  /// without a latency, or as CombinatorCodec and PinPort do.
  PinCombinator(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params);

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
  void require_unit(const CombineTransaction& t, unsigned unit) const;
  void request(Unit& unit, const CombineTransaction& t);

  CombinatorCodec codec_;
  AcceleratorParams params_;
  unsigned latency_;
  std::deque<Unit> units_;
  LateData* late_ = nullptr;  // receives the latest answer
};

}  // namespace tributary
