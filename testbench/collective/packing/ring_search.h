#pragma once
/// The baseline: rings over the NVLinks of an allocation, as a library of rings finds them.

#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary::collective {

struct Rings {
  std::vector<std::vector<int>> cycles;  ///< ranks, each from rank 0; over both directions of its links
  int directed = 0;                      ///< rings: two of each cycle; one of a pair of ranks
  bool most = true;                      ///< proved: no more cycles share the links; else the search came to its limit
};

/// The most Hamiltonian cycles that share no link. Of more than 8 ranks the search ends after so many steps, with the most
/// that it has found. At least two ranks.
Rings find_rings(const topology::Allocation& allocation);

}  // namespace tributary::collective
