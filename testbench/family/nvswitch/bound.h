#pragma once
/// Upper bounds of algbw on machines of NVSwitches, from bytes alone: the message size, divided by the longest time that any
/// directed link or cut needs for the bytes that an ideally balanced algorithm must move over it, including headers and
/// acks. Latencies, steps, barriers, flags and tables are neglected, so no run can be faster.

#include <vector>

#include "modules/base/units.h"
#include "platforms/nvswitch/collective_params.h"

namespace tributary::collective {

struct BoundInput {
  std::vector<int> boards;  ///< board or leaf group of each rank
  Bytes message;
  AckMode acks = AckMode::separate;
  Bytes window = 0_B;  ///< broadcast: bytes that the waves let a root send before acks arrive; the acks of as many bytes
                       ///< trail the result
  Bandwidth link_rate = 25_GBps;  ///< rate of a link, per direction
  Bytes payload = 128_B;          ///< NVLS: bytes of a load-reduce
  int links_per_gpu = 6;
  int board_count = 2;     ///< number of boards of the machine
  int plane_switches = 2;  ///< home switches of a plane, one on each board; the others are spines
  int trunks = 48;         ///< links from each board to the other boards, over all planes
};

/// Return GB/s, 1 GB = 10^9 B (docs/systems/klenk.md#bounds). Throw std::invalid_argument on fewer than 2 ranks, an unknown
/// board, an empty message, no links, or an unknown root.
double push_bound_GBps(const BoundInput& in);
double pull_bound_GBps(const BoundInput& in);
double nvls_bound_GBps(const BoundInput& in);
double nvls_reduce_scatter_bound_GBps(const BoundInput& in);
double nvls_allgather_bound_GBps(const BoundInput& in);
double ring_bound_GBps(const BoundInput& in);
double broadcast_bound_GBps(const BoundInput& in, int root);

}  // namespace tributary::collective
