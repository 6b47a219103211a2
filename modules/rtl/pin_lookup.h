#pragma once
/// PinLookup: a connection lookup table with pins in kernel time, at the socket of an accelerator
/// (docs/rtl.md#pins-in-kernel-time).

#include <string>
#include <vector>

#include "modules/base/sysc/kernel_time.h"
#include "modules/netreduce/accelerator_modules.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// An answer is deferred until it leaves the block. The accelerator counts `lookup_cycles` clocks of it and calls at their
/// end, so an answer after these clocks is valid at the time of the call.
class PinLookup : public TableModule<ClTransaction>, public KernelTimePart, private ClockedPart {
 public:
  /// Throws std::invalid_argument as PinPort does.
  PinLookup(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params);

  Tick nominal_latency() const override { return nominal_; }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override;
  /// The probes of the pins, `rtl.s_id` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    port_.unit().describe(directory, prefix + "rtl.");
  }

 private:
  void before_end_of_elaboration() override { require_unobserved(*this); }
  void b_transport(ClTransaction& t, sc_core::sc_time& delay) override;
  void answer(const RtlBeat& beat, LateAddress& late, std::uint8_t id) const;
  // ClockedPart: the kernel's clock gives the answers
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}

  Tick nominal_;
  unsigned latency_;
  PinPort port_;
  std::uint64_t free_at_ = 0;  // edge of the next request at the earliest
  std::uint8_t id_ = 0;
};

}  // namespace tributary
