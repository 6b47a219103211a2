#pragma once
/// PinArbiter: an arbiter with pins of the crossbar of a switch in kernel time (docs/rtl.md#pins-in-the-time-of-a-call).

#include <cstddef>
#include <string>
#include <vector>

#include "modules/base/sysc/kernel_time.h"
#include "modules/rtl/core/arbiter_beats.h"
#include "modules/rtl/delta_pins.h"
#include "modules/rtl/pin_block.h"

namespace tributary {

/// ArbiterBeats has the rules. A call waits in delta cycles for its answer.
class PinArbiter : public sc_core::sc_module, public KernelTimePart, public CrossbarArbiter {
 public:
  /// Throws std::invalid_argument as ArbiterBeats and DeltaPins do, UnfitBlock for a stated latency.
  PinArbiter(const sc_core::sc_module_name& name, const PinBlock& block, const CrossbarArbiterConfig& config);

  bool waits_in_calls() const override { return true; }
  std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick now) override;
  void granted(unsigned output, const Request& request, Tick now) override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override { core_.describe(directory, prefix); }

 private:
  DeltaPins pins_;
  ArbiterBeats core_;
};

}  // namespace tributary
