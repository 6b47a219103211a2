#pragma once
/// Allocation: the GPUs of a server that are assigned to one job, and the NVLinks between them.

#include <map>
#include <vector>

#include "platforms/topology/server.h"

namespace tributary::topology {

/// The subgraph of NVLinks induced by the GPUs of a job. Rank i is gpus[i].
struct Allocation {
  std::vector<int> gpus;
  std::vector<std::vector<int>> links;  ///< NVLinks of each pair of ranks: [rank][rank], symmetric

  int ranks() const { return static_cast<int>(gpus.size()); }
  int between(int a, int b) const { return links.at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b)); }
};

/// Builds the allocation. Throws TopologyError (one line) if a GPU does not exist or is named twice.
Allocation allocation(const Server& server, const std::vector<int>& gpus);

/// The GPUs of a job that are in one server.
struct ServerPart {
  std::vector<int> gpus;   ///< numbers of the GPUs in the server
  std::vector<int> ranks;  ///< their ranks
};
/// Groups the GPUs of a job by server. Rank r runs on GPU `gpus[r]`; with n GPUs per server, GPU g of server s has
/// number s n + g.
std::map<int, ServerPart> parts_of(const std::vector<int>& gpus, int gpus_of_server);

/// Returns indices into `gpus` in the order of the server's PCIe tree: GPUs of one switch are adjacent, then GPUs of
/// one socket. A chain through them crosses each link of the tree at most once in each direction.
std::vector<int> pcie_order(const Server& server, const std::vector<int>& gpus);

/// Returns rank 0 and the ranks that it can reach over NVLinks alone.
std::vector<int> joined(const Allocation& allocation);
/// True if joined() returns all ranks.
bool connected(const Allocation& allocation);

/// Returns the same key for two allocations if and only if their graphs are isomorphic. Intended for graphs of up to 16
/// ranks as regular as those of servers; exponential in the worst case.
std::vector<int> canonical_class(const Allocation& allocation);

/// Allocations that share one canonical class.
struct AllocationClass {
  Allocation first;                    ///< the allocation with the lowest GPU numbers
  std::vector<std::vector<int>> gpus;  ///< GPUs of all allocations, ascending
};

/// Classifies all sets of `least` to `most` GPUs, ordered by size and then by their first set. Includes sets that
/// NVLinks do not connect only if `unconnected`. Throws TopologyError if the server has more than 16 GPUs.
std::vector<AllocationClass> allocation_classes(const Server& server, int least, int most, bool unconnected = false);

}  // namespace tributary::topology
