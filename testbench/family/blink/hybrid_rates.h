#pragma once
/// The rates by which a message is split between NVLinks and PCIe, as they are measured (Wang et al., MLSys 2020, 3.4).

#include "modules/base/units.h"
#include "testbench/collective/packing/hybrid_split.h"

namespace tributary {

/// Of one job and size: the first message goes over NVLinks alone, the second over PCIe alone, and each later one is split
/// by Eq. (8) with the rates of the part before it on each way.
class HybridRates {
 public:
  /// `peer_switch`: of all GPUs.
  HybridRates(Bytes message, Time peer_switch) : message_(message), peer_switch_(peer_switch) {}

  /// Of the next message.
  collective::HybridSplit split() const;
  /// Of the collective, in GB/s; 0 before it is known.
  double nvlink() const { return nvlink_; }
  double pcie() const { return pcie_; }
  /// When the last flit of each part has left, from the start of the message; a part of 0 B is not looked at.
  void measured(Tick nvlink_end, Tick pcie_end);

 private:
  enum class Step { nvlink_alone, pcie_alone, both };

  Bytes message_;
  Time peer_switch_;
  double nvlink_ = 0, pcie_ = 0;
  Step step_ = Step::nvlink_alone;
};

}  // namespace tributary
