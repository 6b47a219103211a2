#pragma once
/// Leaves: the common part of NVSwitch machines, groups of GPUs under leaf switches in planes
/// (docs/systems/klenk.md#dgx-2, #fat-tree).

#include <string>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Groups of 8 GPUs. Each group has one leaf switch of 16 ports in each of 6 disjoint planes: port k of the GPU in slot
/// s is linked to port s of the leaf in plane k. Ports 8 to 15 of a leaf are left for the machine to connect.
struct Leaves {
  static constexpr int planes = 6, slots = 8, trunks = 8;

  int groups = 0;

  int gpus() const { return groups * slots; }
  int count() const { return groups * planes; }
  /// Node numbers: GPUs first, then the leaves.
  int leaf(int group, int plane) const { return gpus() + group * planes + plane; }

  /// Returns GPUs `gpu0` ... and leaves `<prefix>g_k` of group g and plane k.
  Graph graph(const std::string& prefix) const;
};

}  // namespace tributary::topology
