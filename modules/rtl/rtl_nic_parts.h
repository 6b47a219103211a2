#pragma once
/// Modules with parts of a schedule NIC in RTL, for its sockets.

#include <string>

#include "modules/base/early_answers.h"
#include "modules/base/element_limits.h"
#include "modules/nic/nic.h"
#include "modules/rtl/core/reduction_unit_beats.h"
#include "modules/rtl/core/schedule_table_beats.h"

namespace tributary {

class RtlScheduleTable : public TargetModule<>, public StallableBlock, public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as ScheduleTableBeats does.
  RtlScheduleTable(const sc_core::sc_module_name& name, const RtlBlock& block, const NicParams& params)
      : TargetModule(name), core(this->name(), block, params) {}

  ScheduleTableBeats core;

  void stall(const OutputStalls& stalls) override { core.stall(stalls); }
  EarlyTime early() const override { return core.early(); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory) override { core.describe(directory, std::string(name()) + ".rtl."); }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
};

class RtlReductionUnit : public TargetModule<ReductionProtocol>,
                         public StallableBlock,
                         public ElementLimits,
                         public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as ReductionUnitBeats does.
  RtlReductionUnit(const sc_core::sc_module_name& name, const RtlBlock& block, const NicParams& params)
      : TargetModule(name), core(this->name(), block, params) {}

  ReductionUnitBeats core;

  void stall(const OutputStalls& stalls) override { core.stall(stalls); }
  void check_elements(ElementType type, ReduceOp op, unsigned) const override { core.check_elements(type, op); }
  EarlyTime early() const override { return core.early(); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory) override { core.describe(directory, std::string(name()) + ".rtl."); }

 private:
  void b_transport(ReductionOperand& operand, sc_core::sc_time& delay) override;
};

}  // namespace tributary
