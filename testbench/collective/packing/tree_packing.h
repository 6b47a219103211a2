#pragma once
/// TreePacking: trees with weights that share the links of a graph.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbench/collective/packing/spanning_tree.h"

namespace tributary::collective {

/// An exact rate or weight in links, such as `24/7`.
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
  int depth = 0;           ///< depth from the root
  std::int64_t units = 0;  ///< weight, in units of 1/TreePacking::denominator links
};

/// Weights are units / denominator links.
struct TreePacking {
  std::int64_t denominator = 1;
  std::vector<PackedTree> trees;  ///< heaviest first

  Fraction weight(const PackedTree& tree) const { return {tree.units, denominator}; }
  Fraction rate() const;
  int depth() const;  ///< depth of the deepest tree
};

/// A packing that violates its own claims: a bug of the simulator, not an error of the user.
class PackingError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Proves in integers that every tree spans the graph (from its root if `directed`), that weights are positive, and that no
/// edge carries more than its capacity. Throws PackingError.
void verify(const CapacityGraph& graph, const TreePacking& packing, bool directed);

}  // namespace tributary::collective
