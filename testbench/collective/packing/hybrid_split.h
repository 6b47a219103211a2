#pragma once
/// The split of a message between NVLinks and PCIe (Wang et al., MLSys 2020, 3.4, Eq. 8).

#include <cstdint>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/packing/weighted_trees.h"

namespace tributary::collective {

struct HybridSplit {
  std::uint64_t nvlink_bytes = 0, pcie_bytes = 0;

  double nvlink_seconds = 0;  ///< time of the part on NVLinks at its rate
  double pcie_seconds = 0;    ///< time of the part on PCIe with the switch of peer access; 0 without such a part
};

/// Returns the split at which both parts end simultaneously: D_pcie = (D B_pcie - T B_pcie B_nvlink) / (B_pcie + B_nvlink),
/// where T is the time of the switch of peer access. D_pcie is rounded down to whole blocks. It is 0 if the switch lasts
/// longer than the whole message on NVLinks. `nvlink`, `pcie`: rates of the collective on each path, not 0.
HybridSplit hybrid_split(Bytes message, Bandwidth nvlink, Bandwidth pcie, Time peer_switch);

/// The trees of both parts. Their weights give each part its bytes of the message. A part of 0 B has no trees.
struct HybridTrees {
  std::vector<WeightedTree> nvlink, pcie;
};
HybridTrees hybrid_trees(const HybridSplit& split, const std::vector<WeightedTree>& nvlink,
                         const std::vector<WeightedTree>& pcie);

}  // namespace tributary::collective
