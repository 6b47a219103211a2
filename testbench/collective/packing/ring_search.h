#pragma once
/// find_rings: the rings over the NVLinks of an allocation that a ring-based library finds, as the baseline.

#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary::collective {

struct Rings {
  std::vector<std::vector<int>> directed;  ///< ranks of each ring, from rank 0, in the direction in which they send
  int on_link = 1;                         ///< rings that share a link: each has this part of its rate
  bool most = true;                        ///< proved: there are no more disjoint rings; else the search was cut off

  /// Returns the rate of all rings together, in links.
  double links() const { return static_cast<double>(directed.size()) / on_link; }
};

/// Returns the largest set of directed Hamiltonian cycles that share no link in one direction. If half of a link for each
/// ring allows more than twice as many for up to four ranks, it returns these, as NCCL 2.4 does. Two ranks have a ring for
/// each of their links. The search may end after a fixed number of steps with the largest set so far. There must be at least
/// two ranks.
Rings find_rings(const topology::Allocation& allocation);

}  // namespace tributary::collective
