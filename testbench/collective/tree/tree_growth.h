#pragma once
/// TreeGrowth: adds nodes to the trees of MultiTree. There is one class for direct and one for indirect networks.

#include <memory>
#include <optional>
#include <vector>

#include "testbench/collective/tree/free_links.h"
#include "testbench/collective/tree/multitree.h"

namespace tributary::collective {

/// A new edge, and the links that it uses.
struct Addition {
  int parent = 0, child = 0;
  std::vector<topology::PortRef> hops;
};

class TreeGrowth {
 public:
  virtual ~TreeGrowth() = default;
  /// Returns the number of directed links that the trees may use.
  virtual int links() const = 0;
  /// Begins a step. Nodes that were added in the previous step become parents.
  virtual void begin_step() = 0;
  /// Adds a new node over free links from the first possible parent of the tree. Returns nothing if the tree cannot grow in
  /// this step any more: links are only used up, and the set of parents is fixed.
  virtual std::optional<Addition> grow(int tree) = 0;

  int used() const { return free_.used(); }  ///< links used in this step
  /// Returns the rank of a participant, or -1.
  int rank_of(int node) const { return rank_of_[static_cast<std::size_t>(node)]; }

 protected:
  TreeGrowth(const topology::Graph& graph, const std::vector<int>& members);

  bool has(int tree, int rank) const { return has_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(rank)] != 0; }
  void take(int tree, const Addition& addition);

  const topology::Graph& graph_;
  const std::vector<int>& members_;
  FreeLinks free_;

 private:
  std::vector<int> rank_of_;            ///< [node]
  std::vector<std::vector<char>> has_;  ///< [tree][rank]
};

std::unique_ptr<TreeGrowth> direct_growth(const topology::Graph& graph, const std::vector<int>& members);
std::unique_ptr<TreeGrowth> indirect_growth(const topology::Graph& graph, const std::vector<int>& members,
                                            const MultiTreeOptions& options);

}  // namespace tributary::collective
