#pragma once
/// PinTranslation: a connection translation table with pins in kernel time, at the socket of an accelerator
/// (docs/rtl.md#pins-in-kernel-time).

#include <string>
#include <vector>

#include "modules/base/sysc/kernel_time.h"
#include "modules/netreduce/accelerator_modules.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// A translation is deferred until its last beat leaves the block. The accelerator counts `lookup_cycles` clocks of it, and
/// asks for the connections of a sum that much ahead. Preset and learn are posted.
class PinTranslation : public TableModule<CtTransaction>, public KernelTimePart, public DeferringBlock, private ClockedPart {
 public:
  /// Throws std::invalid_argument as PinPort does, for a stated latency, which depends on the targets, and for another kind
  /// of learning than one first packet of a connection.
  PinTranslation(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params);

  Tick nominal_latency() const override { return nominal_; }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override;
  /// The probes of the pins, `rtl.s_id` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    port_.unit().describe(directory, prefix + "rtl.");
  }

 private:
  void before_end_of_elaboration() override { require_unobserved(*this); }
  void b_transport(CtTransaction& t, sc_core::sc_time& delay) override;
  /// `late`: null for a command that is posted.
  void answer(LateTranslation* late, std::uint64_t first, std::uint8_t id, Tick asked, Tick now) const;
  // ClockedPart: the kernel's clock gives the answers
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}

  Tick nominal_;
  PinPort port_;
  std::uint64_t free_at_ = 0;  // edge of the next request at the earliest
  std::uint8_t id_ = 0;
};

}  // namespace tributary
