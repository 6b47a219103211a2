#pragma once
/// The best packing of given trees: with weights in whole units by an integer program (CBC), or with any weights by a linear
/// program.

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

struct Candidate {
  EdgeSet edges;
  int root = 0, depth = 0;
};

struct IlpRequest {
  std::int64_t denominator = 1;     ///< weights are in units of 1/denominator links
  std::int64_t bound = 0;           ///< upper bound of the rate, in units
  std::int64_t least = 0;           ///< least useful rate, in units
  std::int64_t most_of_a_tree = 0;  ///< greatest weight of one tree, in units; 0: bounded only by its narrowest edge
  /// Units of each candidate in a known packing of the wanted rate; only a short search for fewer trees follows. May be
  /// empty.
  std::vector<std::int64_t> known{};
};

struct IlpPacking {
  TreePacking packing;
  bool fewest = true;  ///< proved: no packing of these trees at this rate has fewer trees, or as many with less depth
};

/// Returns the packing with the greatest rate, then fewest trees, then least sum of depths; nothing if the rate is below
/// request.least. Searches end after a number of nodes, never after a time, so that every run has the same result. If
/// weights are fractions of a link, the search for fewer trees is short, and uses 48 candidates in addition to the trees in
/// use. Throws PackingError if the solver fails.
std::optional<IlpPacking> packed_by_ilp(const CapacityGraph& graph, const std::vector<Candidate>& candidates,
                                        const IlpRequest& request);

/// Returns the packing with the weights of a solver, which computes in floating point: the fractions within 1e-9 of them,
/// or, if these have no common denominator up to 1e6, the weights rounded down to 1e-6 links.
TreePacking exact_packing(const std::vector<Candidate>& candidates, const std::vector<double>& weights);

}  // namespace tributary::collective
