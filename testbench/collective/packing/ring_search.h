#pragma once
/// find_rings: the rings over the NVLinks of an allocation that a ring-based library finds, as the baseline.

#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary::collective {

struct Rings {
  std::vector<std::vector<int>> cycles;  ///< ranks of each cycle, from rank 0; a cycle uses both directions of its links
  int directed = 0;                      ///< directed rings: two for each cycle, or one for each link of two ranks
  bool most = true;                      ///< proved: there are no more disjoint cycles; else the search was cut off
};

/// Returns the largest set of Hamiltonian cycles that share no link. The search may end after a fixed number of steps with
/// the largest set so far, which happens only above 8 ranks. There must be at least two ranks.
Rings find_rings(const topology::Allocation& allocation);

}  // namespace tributary::collective
