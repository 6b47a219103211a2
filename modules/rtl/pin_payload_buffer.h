#pragma once
/// PinPayloadBuffer: a payload buffer with pins in kernel time, at the socket of an accelerator
/// (docs/rtl.md#pins-in-kernel-time).

#include <deque>
#include <memory>
#include <string>

#include "modules/base/sysc/deferred_answer.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/base/sysc/target_module.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/rtl/core/payload_places.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// An instance of the block for each bank. A write is posted. A read is deferred until its first row leaves, and its data
/// follow, a row in each clock. The accelerator counts a clock of a read.
class PinPayloadBuffer : public TargetModule<>, public KernelTimePart, public DeferringBlock, private ClockedPart {
 public:
  /// Throws std::invalid_argument as PayloadPlaces and PinPort do.
  PinPayloadBuffer(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params);

  Tick nominal_latency() const override { return clock_; }
  void reset() override;
  /// The probes of the pins of the first bank, `rtl.r_row` and so on.
  void describe(ProbeDirectory& directory) override {
    banks_.front().port->unit().describe(directory, std::string(name()) + ".rtl.");
  }

 private:
  struct Bank {
    std::unique_ptr<PinPort> port;
    std::uint64_t writes_at = 0, reads_at = 0;  // edges of the next rows at the earliest
  };
  void before_end_of_elaboration() override { require_unobserved(*this); }
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
  void write(Bank& bank, std::uint64_t row, const std::byte* data, unsigned bytes, Tick now);
  void read(Bank& bank, std::uint64_t row, tlm::tlm_generic_payload& access, Tick now);
  static std::uint64_t offer(PinUnit& pins, unsigned channel, std::vector<RtlBeat> rows, Tick now, std::uint64_t& next);
  // ClockedPart: the kernel's clock gives the answers
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}

  PayloadPlaces places_;
  Tick clock_;
  unsigned latency_;
  std::deque<Bank> banks_;
};

}  // namespace tributary
