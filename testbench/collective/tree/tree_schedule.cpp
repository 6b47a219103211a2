#include "testbench/collective/tree/tree_schedule.h"

#include <map>

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

constexpr int nothing = ProgramBuilder::nothing;

struct Routes {
  bool up, down;
};

/// The last operation with each peer on each tree, in one direction.
class LastOf {
 public:
  int& operator()(std::size_t tree, int peer) { return last_.try_emplace({tree, peer}, nothing).first->second; }

 private:
  std::map<std::pair<std::size_t, int>, int> last_;
};

class RankProgram {
 public:
  RankProgram(int rank, const std::vector<Tree>& trees, int chunks, Routes routes)
      : rank_(static_cast<std::size_t>(rank)), trees_(trees), chunks_(chunks), routes_(routes) {}

  std::vector<Operation> build() {
    for (int c = 0; c < chunks_; ++c) {
      const std::size_t t = static_cast<std::size_t>(c) % trees_.size();
      int ready = nothing;  // operation that gives the chunk its value at this rank
      if (routes_.up) ready = go_up(t, c);
      if (routes_.down) go_down(t, c, ready);
    }
    return program_.finish();
  }

 private:
  int parent(std::size_t t) const { return trees_[t].parent[rank_]; }
  const std::vector<int>& children(std::size_t t) const { return trees_[t].children[rank_]; }

  int go_up(std::size_t t, int chunk) {
    int sum = nothing;
    for (const int child : children(t))
      sum = arrived_(t, child) = program_.take(OperationKind::reduce, child, chunk, chunk, {arrived_(t, child)}, sum);
    if (parent(t) != no_rank) sent_(t, parent(t)) = program_.send(parent(t), chunk, chunk, {sum, sent_(t, parent(t))});
    return sum;
  }

  void go_down(std::size_t t, int chunk, int ready) {
    const int slot = chunk + (routes_.up ? chunks_ : 0);
    const int up = parent(t);
    if (up != no_rank) ready = came_down_(t, up) = program_.take(OperationKind::copy, up, chunk, slot, {came_down_(t, up)});
    for (const int child : children(t))
      handed_down_(t, child) = program_.send(child, chunk, slot, {ready, handed_down_(t, child)});
  }

  std::size_t rank_;
  const std::vector<Tree>& trees_;
  int chunks_;
  Routes routes_;
  ProgramBuilder program_;
  LastOf arrived_, sent_, came_down_, handed_down_;
};

Schedule tree_schedule(const std::string& name, const std::vector<Tree>& trees, int chunks, Routes routes, Goal goal) {
  if (trees.empty() || trees.front().parent.empty() || chunks < 1)
    throw ScheduleError(name + ": at least 1 tree, 1 rank and 1 chunk");
  const auto ranks = static_cast<int>(trees.front().parent.size());
  Schedule schedule{name, ranks, chunks, routes.up && routes.down ? 2 * chunks : chunks, {}};
  for (int r = 0; r < ranks; ++r) schedule.programs.push_back(RankProgram(r, trees, chunks, routes).build());
  schedule.goals.assign(static_cast<std::size_t>(chunks), goal);
  return schedule;
}

int common_root(const std::string& name, const std::vector<Tree>& trees) {
  for (const Tree& tree : trees)
    if (tree.root() != trees.front().root()) throw ScheduleError(name + ": the trees have different roots");
  return trees.empty() ? no_rank : trees.front().root();
}

}  // namespace

Schedule tree_allreduce(const std::string& name, const std::vector<Tree>& trees, int chunks) {
  return tree_schedule(name, trees, chunks, {true, true}, {});
}

Schedule tree_broadcast(const std::string& name, const std::vector<Tree>& trees, int chunks) {
  return tree_schedule(name, trees, chunks, {false, true}, {common_root(name, trees), every_rank});
}

Schedule tree_reduce(const std::string& name, const std::vector<Tree>& trees, int chunks) {
  return tree_schedule(name, trees, chunks, {true, false}, {every_rank, common_root(name, trees)});
}

}  // namespace tributary::collective
