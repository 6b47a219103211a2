#include "testbench/collective/tree/step_trees.h"

#include <algorithm>
#include <string>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

std::string describe(const StepTree& tree, const TreeEdge& e) {
  return "tree " + std::to_string(tree.root) + " edge " + std::to_string(e.parent) + " -> " + std::to_string(e.child) +
         " in step " + std::to_string(e.step);
}

class Checker {
 public:
  Checker(const StepTrees& trees, const topology::Graph& graph) : trees_(trees), graph_(graph) {
    for (const topology::Node& n : graph.nodes()) {
      first_link_.push_back(links_);
      links_ += static_cast<std::size_t>(n.ports);
    }
    used_.resize(links_ * static_cast<std::size_t>(trees.steps), false);
  }

  void check(const StepTree& tree) {
    std::vector<int> added(static_cast<std::size_t>(trees_.ranks()), -1);  // step of addition; -1: not in the tree
    added.at(static_cast<std::size_t>(tree.root)) = 0;
    for (const TreeEdge& e : tree.edges) {
      const int parent = added.at(static_cast<std::size_t>(e.parent));
      int& child = added.at(static_cast<std::size_t>(e.child));
      if (parent < 0 || parent >= e.step) throw ScheduleError(describe(tree, e) + ": the parent is not yet in the tree");
      if (child >= 0) throw ScheduleError(describe(tree, e) + ": the child is already in the tree");
      if (e.step > trees_.steps) throw ScheduleError(describe(tree, e) + ": the step is after the last");
      child = e.step;
      walk(tree, e);
    }
    const auto missing = std::find(added.begin(), added.end(), -1);
    if (missing != added.end())
      throw ScheduleError("tree " + std::to_string(tree.root) + " does not reach rank " +
                          std::to_string(missing - added.begin()));
  }

 private:
  void walk(const StepTree& tree, const TreeEdge& e) {
    int at = node(e.parent);
    for (const topology::PortRef* hop = tree.begin(e); hop != tree.end(e); ++hop) {
      const auto next = hop->node == at ? graph_.peer(*hop) : std::nullopt;
      if (!next) throw ScheduleError(describe(tree, e) + ": its links do not join");
      if (hop != tree.begin(e) && !topology::forwards(graph_.node(at).kind))
        throw ScheduleError(describe(tree, e) + ": " + graph_.node(at).name + " does not forward");
      auto used = used_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(e.step - 1) * links_ +
                                                              first_link_[static_cast<std::size_t>(at)] +
                                                              static_cast<std::size_t>(hop->port));
      if (*used) throw ScheduleError(describe(tree, e) + ": " + graph_.name(*hop) + " is used twice in this step");
      *used = true;
      at = next->node;
    }
    if (at != node(e.child)) throw ScheduleError(describe(tree, e) + ": its links do not lead to the child");
    if (graph_.node(at).kind == topology::NodeKind::nic_router && e.hops != 1)
      throw ScheduleError(describe(tree, e) + ": more than one link on a direct network");
  }

  int node(int rank) const { return trees_.nodes.at(static_cast<std::size_t>(rank)); }

  const StepTrees& trees_;
  const topology::Graph& graph_;
  std::vector<std::size_t> first_link_;  ///< [node]
  std::size_t links_ = 0;
  std::vector<bool> used_;  ///< [step][link]
};

}  // namespace

int StepTree::height() const {
  int highest = 0;
  std::size_t ranks = static_cast<std::size_t>(root) + 1;
  for (const TreeEdge& e : edges) ranks = std::max(ranks, static_cast<std::size_t>(e.child) + 1);
  std::vector<int> depth(ranks, 0);
  for (const TreeEdge& e : edges)
    highest = std::max(highest, depth[static_cast<std::size_t>(e.child)] = depth[static_cast<std::size_t>(e.parent)] + 1);
  return highest;
}

void verify(const StepTrees& trees, const topology::Graph& graph) {
  if (trees.trees.size() != trees.nodes.size())
    throw ScheduleError(std::to_string(trees.trees.size()) + " trees for " + std::to_string(trees.ranks()) + " ranks");
  Checker checker(trees, graph);
  for (const StepTree& tree : trees.trees) checker.check(tree);
}

}  // namespace tributary::collective
