#pragma once
/// PinReductionTable: a reduction table with pins, at the table socket of a port in kernel time
/// (docs/rtl.md#pins-in-the-time-of-a-call).

#include <string>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/nvswitch/reduction_table_module.h"
#include "modules/rtl/core/reduction_table_beats.h"
#include "modules/rtl/delta_pins.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// ReductionTableBeats has the rules. A call waits in delta cycles for its answer.
class PinReductionTable : public ReductionTableModule, public KernelTimePart, public ElementLimits, public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as ReductionTableBeats and DeltaPins do; UnfitBlock with rank_order, for a stated latency
  /// and for a driver that calls it outside of a thread.
  PinReductionTable(const sc_core::sc_module_name& name, const PinBlock& block, const ReductionTableConfig& config);

  bool waits_in_calls() const override { return true; }
  std::vector<std::string> waiting() const override { return core_.waiting(); }
  EarlyTime early() const override { return core_.early(); }
  void check_elements(ElementType type, ReduceOp op, unsigned) const override { core_.check_elements(type, op); }
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override { core_.describe(directory, prefix); }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override;

  DeltaPins pins_;
  ReductionTableBeats core_;
};

}  // namespace tributary
