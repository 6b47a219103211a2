#pragma once
/// RtlReductionTable: a reduction table in RTL as the module at the table socket of a port.

#include <string>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/nvswitch/reduction_table_module.h"
#include "modules/rtl/core/reduction_table_beats.h"

namespace tributary {

/// Throws UnfitBlock with rank_order.
inline void require_order_of_arrival(const std::string& name, const ReductionTableConfig& config) {
  if (config.rank_order)
    throw UnfitBlock(name +
                     ": a table in RTL adds in the order of arrival (legal: nvswitch.switch.reduction_table.order=arrival)");
}

/// ReductionTableBeats has the rules.
class RtlReductionTable : public ReductionTableModule, public StallableBlock, public ElementLimits, public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as ReductionTableBeats does, and UnfitBlock with rank_order.
  RtlReductionTable(const sc_core::sc_module_name& name, const RtlBlock& block, const ReductionTableConfig& config)
      : ReductionTableModule(name), core(this->name(), block, config.line_rate) {
    require_order_of_arrival(this->name(), config);
  }

  ReductionTableBeats core;

  std::vector<std::string> waiting() const override { return core.waiting(); }
  void stall(const OutputStalls& stalls) override { core.stall(stalls); }
  EarlyTime early() const override { return core.early(); }
  void check_elements(ElementType type, ReduceOp op, unsigned) const override { core.check_elements(type, op); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override { core.describe(directory, prefix); }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time::from_value(core.access(t));
  }
};

}  // namespace tributary
