#pragma once
/// What of a message goes over PCIe beside NVLinks (Wang et al., MLSys 2020, 3.4, Eq. 8).

#include <cstdint>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/packing/weighted_trees.h"

namespace tributary::collective {

struct HybridSplit {
  std::uint64_t nvlink_bytes = 0, pcie_bytes = 0;

  double nvlink_seconds = 0;  ///< that the part on NVLinks takes at its rate
  double pcie_seconds = 0;    ///< that on PCIe, the switch of peer access included; 0 without such a part
};

/// Both parts end at once: D_pcie = (D B_pcie - T B_pcie B_nvlink) / (B_pcie + B_nvlink), with T for the switch of peer
/// access; in whole blocks, rounded down, and 0 where the switch takes longer than all of it on NVLinks. Rates are those of
/// the collective on each, not 0.
HybridSplit hybrid_split(Bytes message, Bandwidth nvlink, Bandwidth pcie, Time peer_switch);

/// The trees of both, with weights such that each part carries its bytes of a message of so many: `nvlink` first. A part of
/// 0 B has none.
struct HybridTrees {
  std::vector<WeightedTree> nvlink, pcie;
};
HybridTrees hybrid_trees(const HybridSplit& split, const std::vector<WeightedTree>& nvlink,
                         const std::vector<WeightedTree>& pcie);

}  // namespace tributary::collective
