#pragma once
/// Modules with parts of an accelerator in RTL, for its sockets.

#include <deque>
#include <string>
#include <vector>

#include "modules/base/early_answers.h"
#include "modules/base/element_limits.h"
#include "modules/netreduce/accelerator.h"
#include "modules/rtl/core/clt_beats.h"
#include "modules/rtl/core/combinator_beats.h"
#include "modules/rtl/core/ctt_beats.h"
#include "modules/rtl/core/payload_beats.h"

namespace tributary {

/// Has an instance of the RTL for each unit of adders: one for each ring, or `netreduce.accelerator.combinators`.
class RtlCombinator : public TableModule<CombineTransaction>,
                      public StallableBlock,
                      public ElementLimits,
                      public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as CombinatorBeats does.
  RtlCombinator(const sc_core::sc_module_name& name, const RtlBlock& block, const AcceleratorParams& params);

  /// Returns a unit, which exists from its first slot on.
  const CombinatorBeats& unit(unsigned number) const { return units_[number]; }
  std::vector<std::string> waiting() const override { return {}; }
  void stall(const OutputStalls& stalls) override;
  EarlyTime early() const override { return early_; }
  void reset() override;
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    units_.front().check_elements(type, op, operands);
  }
  /// The probes of the model's combinator, and those of the pins of the first unit, `rtl.s_id` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  void b_transport(CombineTransaction& t, sc_core::sc_time& delay) override;

  RtlBlock block_;
  AcceleratorParams params_;
  std::deque<CombinatorBeats> units_;
  std::deque<SignalProbe> busy_;  // by unit
  EarlyTime early_;
  OutputStalls stalls_;
};

/// A part whose adapter is `Beats`.
template <class Transaction, class Beats>
class RtlPart : public TableModule<Transaction>, public StallableBlock, public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as Beats does.
  RtlPart(const sc_core::sc_module_name& name, const RtlBlock& block, const AcceleratorParams& params)
      : TableModule<Transaction>(name), core(this->name(), block, params) {}

  Beats core;

  std::vector<std::string> waiting() const override { return {}; }
  void stall(const OutputStalls& stalls) override { core.stall(stalls); }
  EarlyTime early() const override { return core.early(); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override { core.describe(directory, prefix + "rtl."); }

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time::from_value(core.access(t));
    t.timing.interval += core.interval();
  }
};
using RtlConnectionLookup = RtlPart<ClTransaction, CltBeats>;
using RtlConnectionTranslation = RtlPart<CtTransaction, CttBeats>;

/// Generic payload, with the extension RequestInterval.
class RtlPayloadBuffer : public TargetModule<>, public StallableBlock, public EarlyAnswers {
 public:
  /// Throws std::invalid_argument as PayloadBeats does.
  RtlPayloadBuffer(const sc_core::sc_module_name& name, const RtlBlock& block, const AcceleratorParams& params)
      : TargetModule(name), core(this->name(), block, params) {}

  PayloadBeats core;

  void stall(const OutputStalls& stalls) override { core.stall(stalls); }
  EarlyTime early() const override { return core.early(); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory) override { core.describe(directory, std::string(name()) + ".rtl."); }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
};

}  // namespace tributary
