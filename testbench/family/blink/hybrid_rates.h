#pragma once
/// HybridRates: measured rates by which messages are split between NVLinks and PCIe (Wang et al., MLSys 2020, 3.4).

#include "modules/base/units.h"
#include "testbench/collective/packing/hybrid_split.h"

namespace tributary {

/// The split of the messages of one job and size. The first message uses NVLinks alone, the second uses PCIe alone. Each
/// later message is split by Eq. (8) with the rates of the previous parts on NVLinks and on PCIe.
class HybridRates {
 public:
  /// `peer_switch`: time that all GPUs need together to switch peer access.
  HybridRates(Bytes message, Time peer_switch) : message_(message), peer_switch_(peer_switch) {}

  /// Returns the split of the next message.
  collective::HybridSplit split() const;
  /// Return the rate of the collective in GB/s, or 0 before it is measured.
  double nvlink() const { return nvlink_; }
  double pcie() const { return pcie_; }
  /// Sets the rates from the time at which the last flit of each part has left, counted from the start of the message. The
  /// time of a part of 0 B is ignored.
  void measured(Tick nvlink_end, Tick pcie_end);

 private:
  enum class Step { nvlink_alone, pcie_alone, both };

  Bytes message_;
  Time peer_switch_;
  double nvlink_ = 0, pcie_ = 0;
  Step step_ = Step::nvlink_alone;
};

}  // namespace tributary
