#pragma once
/// The best packing of given trees: in whole parts of a link by an integer program (CBC), or in any parts by a linear one.

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
  std::int64_t denominator = 1;     ///< weights are whole units of 1/denominator links
  std::int64_t bound = 0;           ///< units that no packing exceeds
  std::int64_t least = 0;           ///< units below which a packing is of no use
  std::int64_t most_of_a_tree = 0;  ///< units of one tree; 0: what its narrowest edge holds
  /// Units of each candidate, of the rate that is wanted: only fewer trees are searched, for a short time. Empty: not known.
  std::vector<std::int64_t> known{};
};

struct IlpPacking {
  TreePacking packing;
  bool fewest = true;  ///< proved: no packing of these trees at this rate has fewer, and of as many no less depth
};

/// Greatest rate first, then fewest trees, then least sum of depths; none when the rate is below request.least. Searches end
/// after a number of nodes, never after a time, so they give the same on every run; at weights that are parts of a link the
/// search for fewer trees is short, and sees 48 candidates beside those in use. Throws PackingError when the solver fails.
std::optional<IlpPacking> packed_by_ilp(const CapacityGraph& graph, const std::vector<Candidate>& candidates,
                                        const IlpRequest& request);

/// The greatest rate in any weights. The solver computes in floating point: weights are the fractions that they come
/// within 1e-9 of, or, where these have no common denominator up to 1e6, rounded down to 1e-6 links.
TreePacking packed_by_lp(const CapacityGraph& graph, const std::vector<Candidate>& candidates);

/// The same from weights that a solver has given.
TreePacking exact_packing(const std::vector<Candidate>& candidates, const std::vector<double>& weights);

}  // namespace tributary::collective
