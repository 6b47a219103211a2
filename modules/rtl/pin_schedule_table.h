#pragma once
/// PinScheduleTable: a schedule table with pins in kernel time, at the socket of a NIC (docs/rtl.md#pins-in-kernel-time).

#include <string>

#include "modules/base/sysc/deferred_answer.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/base/sysc/target_module.h"
#include "modules/nic/nic_params.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// Writes are posted, a row in each clock. A read is deferred until its row leaves; its bytes follow.
class PinScheduleTable : public TargetModule<>, public KernelTimePart, public DeferringBlock, private ClockedPart {
 public:
  /// The block has as many rows as its parameter ROWS says, or 65536. Throws std::invalid_argument as PinPort does, and for
  /// a stated latency, as a row may wait for others.
  PinScheduleTable(const sc_core::sc_module_name& name, const PinBlock& block, const NicParams& params);

  Tick nominal_latency() const override { return nominal_; }
  void reset() override;
  /// The probes of the pins, `rtl.s_row` and so on.
  void describe(ProbeDirectory& directory) override { port_.unit().describe(directory, std::string(name()) + ".rtl."); }

 private:
  void before_end_of_elaboration() override { require_unobserved(*this); }
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
  std::uint64_t offer(std::uint64_t row, const std::byte* data, Tick now);
  void read(std::uint64_t row, tlm::tlm_generic_payload& access, Tick now);
  // ClockedPart: the kernel's clock gives the answers
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}

  std::uint64_t rows_;
  Tick nominal_;
  PinPort port_;
  std::uint64_t free_at_ = 0;  // edge of the next request at the earliest
};

}  // namespace tributary
