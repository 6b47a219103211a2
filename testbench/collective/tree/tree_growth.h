#pragma once
/// How MultiTree adds a node to a tree: one class for direct, one for indirect networks.

#include <memory>
#include <optional>
#include <vector>

#include "testbench/collective/tree/free_links.h"
#include "testbench/collective/tree/multitree.h"

namespace tributary::collective {

/// A new edge, and the links that it takes.
struct Addition {
  int parent = 0, child = 0;
  std::vector<topology::PortRef> hops;
};

class TreeGrowth {
 public:
  virtual ~TreeGrowth() = default;
  /// Directed links that the trees may use.
  virtual int links() const = 0;
  /// What was added in the last step becomes a parent.
  virtual void begin_step() = 0;
  /// Takes free links from the first possible parent of the tree to a new node; none: the tree cannot grow in this step any
  /// more, for links only disappear and the parents are settled.
  virtual std::optional<Addition> grow(int tree) = 0;

  int used() const { return free_.used(); }  ///< links in this step
  /// A participant's rank, or -1.
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
                                            SwitchSearch search);

}  // namespace tributary::collective
