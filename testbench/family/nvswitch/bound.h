#pragma once
/// Upper bounds of algbw on machines of NVSwitches, from bytes alone: message size / the longest time that any directed link
/// or cut needs for the bytes, headers and acks included, that the algorithm must move over it when ideally balanced.
/// Latency, steps, barriers, flags and tables are left out, so no run can be faster.

#include <vector>

#include "modules/base/units.h"
#include "platforms/nvswitch/collective_params.h"

namespace tributary::collective {

struct BoundInput {
  std::vector<int> boards;  ///< board, or leaf group, of each rank
  Bytes message;
  AckMode acks = AckMode::separate;
  Bytes window = 0_B;  ///< broadcast: what the waves let a root send before acks; the acks of as much trail the result
  Bandwidth link_rate = 25_GBps;  ///< of each link, per direction
  int links_per_gpu = 6;
  int board_count = 2;     ///< of the machine
  int plane_switches = 2;  ///< home switches of a plane, one of them on each board; the others are spines
  int trunks = 48;         ///< links from each board to the rest, over all planes
};

/// GB/s, 1 GB = 10^9 B (docs/systems/klenk.md#bounds). Throw std::invalid_argument on fewer than 2 ranks, an unknown board,
/// an empty message, no links, or no such root.
double push_bound_GBps(const BoundInput& in);
double pull_bound_GBps(const BoundInput& in);
double ring_bound_GBps(const BoundInput& in);
double broadcast_bound_GBps(const BoundInput& in, int root);

}  // namespace tributary::collective
