#pragma once
/// The GPUs of a server that one job has got, and the NVLinks among them.

#include <map>
#include <vector>

#include "platforms/topology/server.h"

namespace tributary::topology {

/// What NVLinks join the GPUs of a job: the graph that they induce. Rank i is gpus[i].
struct Allocation {
  std::vector<int> gpus;
  std::vector<std::vector<int>> links;  ///< of each pair of ranks: symmetric

  int ranks() const { return static_cast<int>(gpus.size()); }
  int between(int a, int b) const { return links.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b)); }
};

/// Throws TopologyError, one line, on GPUs that the server does not have or that are named twice.
Allocation allocation(const Server& server, const std::vector<int>& gpus);

/// GPUs of one server among those of a job.
struct ServerPart {
  std::vector<int> gpus;   ///< by their numbers in the server
  std::vector<int> ranks;  ///< that they are
};
/// By server. Rank r is on GPU `gpus[r]`: of servers with n GPUs each, GPU g of server s has the number s n + g.
std::map<int, ServerPart> parts_of(const std::vector<int>& gpus, int gpus_of_server);

/// Places in `gpus` in the order of the server's PCIe tree. GPUs of one switch stand side by side, then those of one socket: a
/// chain through them crosses each link of the tree at most once in each direction.
std::vector<int> pcie_order(const Server& server, const std::vector<int>& gpus);

/// Ranks that NVLinks alone join to rank 0, and itself.
std::vector<int> joined(const Allocation& allocation);
/// Whether these are all.
bool connected(const Allocation& allocation);

/// The same for allocations whose graphs are alike: where one is the other with its ranks renumbered, and for no others.
/// For graphs of up to 16 ranks that are as regular as servers are; exponential at worst.
std::vector<int> canonical_class(const Allocation& allocation);

/// Allocations with one canonical class.
struct AllocationClass {
  Allocation first;                    ///< the one with the lowest numbers of GPUs
  std::vector<std::vector<int>> gpus;  ///< of all, ascending
};

/// All sets of `least` to `most` GPUs by class, in the order of their size, then of their first set. Unless
/// `unconnected`, those alone that NVLinks join. Of a server of at most 16 GPUs; else throws TopologyError.
std::vector<AllocationClass> allocation_classes(const Server& server, int least, int most, bool unconnected = false);

}  // namespace tributary::topology
