#pragma once
/// Trees with weights that share the links of a graph.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbench/collective/packing/spanning_tree.h"

namespace tributary::collective {

/// A rate or weight in links, exact: `24/7`.
struct Fraction {
  std::int64_t numerator = 0, denominator = 1;  ///< no common divisor; the denominator is positive

  Fraction(std::int64_t numerator, std::int64_t denominator = 1);
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  std::string text() const;
};
inline bool operator==(const Fraction& a, const Fraction& b) {
  return a.numerator == b.numerator && a.denominator == b.denominator;
}
inline bool operator<(const Fraction& a, const Fraction& b) {
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

struct PackedTree {
  EdgeSet edges;
  int root = 0;
  int depth = 0;           ///< of the tree from its root
  std::int64_t units = 0;  ///< its weight, in parts of TreePacking::denominator
};

/// Weights are units / denominator links.
struct TreePacking {
  std::int64_t denominator = 1;
  std::vector<PackedTree> trees;  ///< heaviest first

  Fraction weight(const PackedTree& tree) const { return {tree.units, denominator}; }
  Fraction rate() const;
  int depth() const;  ///< of the deepest tree
};

/// What a packing claims and does not keep: our mistake, not the user's.
class PackingError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// In integers: every tree spans the graph, from its root where `directed`; weights are positive; no edge carries more than
/// its capacity. Throws PackingError.
void verify(const CapacityGraph& graph, const TreePacking& packing, bool directed);

}  // namespace tributary::collective
