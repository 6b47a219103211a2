#include "testbench/collective/step_tree_schedule.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tributary::collective {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// One chunk over one edge.
struct Transfer {
  int step = 0, from = 0, to = 0, chunk = 0;
  bool up = false;  ///< towards the root
};

/// The ranks at and below each rank of a tree.
std::vector<std::vector<int>> subtrees(const StepTree& tree, int ranks) {
  std::vector<std::vector<int>> below(at(ranks));
  for (int r = 0; r < ranks; ++r) below[at(r)] = {r};
  for (auto e = tree.edges.rbegin(); e != tree.edges.rend(); ++e) {
    const auto& behind = below[at(e->child)];
    below[at(e->parent)].insert(below[at(e->parent)].end(), behind.begin(), behind.end());
  }
  for (auto& ranks_below : below) std::sort(ranks_below.begin(), ranks_below.end());
  return below;
}

void add_personal(std::vector<Transfer>& all, const StepTree& tree, int ranks) {
  const auto below = subtrees(tree, ranks);
  for (const TreeEdge& e : tree.edges)
    for (const int to : below[at(e.child)]) all.push_back({e.step, e.parent, e.child, tree.root * ranks + to, false});
}

/// All transfers of a collective, by step, then in the order of the trees and of their growth.
std::vector<Transfer> transfers(const StepTrees& trees, bool up, bool down, bool personal) {
  std::vector<Transfer> all;
  const int before_down = up ? trees.steps : 0;
  for (const StepTree& tree : trees.trees) {
    if (personal) add_personal(all, tree, trees.ranks());
    for (const TreeEdge& e : tree.edges) {
      if (up) all.push_back({trees.steps + 1 - e.step, e.child, e.parent, tree.root, true});
      if (down) all.push_back({before_down + e.step, e.parent, e.child, tree.root, false});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Transfer& a, const Transfer& b) { return a.step < b.step; });
  return all;
}

/// What a rank does one after another: in each step what came last in the step before, then for each peer its own order.
class StepOrder {
 public:
  /// What the next operation with this peer waits for, which takes its place with enter().
  std::vector<int> before(int step, int peer) {
    if (step != step_) {
      earlier_.clear();
      for (const auto& [other, id] : last_) earlier_.push_back(id);
      last_.clear();
      step_ = step;
    }
    const auto same = last_.find(peer);
    return same == last_.end() ? earlier_ : std::vector<int>{same->second};
  }
  void enter(int peer, int id) { last_[peer] = id; }

 private:
  int step_ = 0;
  std::vector<int> earlier_;  ///< last operations of the last step
  std::map<int, int> last_;   ///< of this step, by peer
};

class Writer {
 public:
  Writer(int ranks, int down_slots) : down_slots_(down_slots), ranks_(at(ranks)) {}

  void write(const Transfer& t) {
    const int slot = t.up ? t.chunk : down_slots_ + t.chunk;
    Rank& sender = ranks_[at(t.from)];
    std::vector<int> after = sender.sends.before(t.step, t.to);
    if (const auto value = sender.value.find(t.chunk); value != sender.value.end()) after.push_back(value->second);
    sender.sends.enter(t.to, add(sender, OperationKind::send, t.to, t.chunk, slot, t.step, std::move(after)));

    Rank& taker = ranks_[at(t.to)];
    const int received =
        add(taker, OperationKind::receive, t.from, t.chunk, slot, t.step, taker.takes.before(t.step, t.from));
    std::vector<int> then;
    if (const auto value = taker.value.find(t.chunk); t.up && value != taker.value.end()) then.push_back(value->second);
    then.push_back(received);
    const auto kind = t.up ? OperationKind::reduce : OperationKind::copy;
    const int taken = add(taker, kind, t.from, t.chunk, slot, t.step, std::move(then));
    taker.takes.enter(t.from, taken);
    taker.value[t.chunk] = taken;
  }

  std::vector<std::vector<Operation>> programs() {
    std::vector<std::vector<Operation>> all;
    for (Rank& r : ranks_) all.push_back(std::move(r.program));
    return all;
  }

 private:
  struct Rank {
    std::vector<Operation> program;
    StepOrder sends, takes;
    std::map<int, int> value;  ///< chunk -> the operation that gave it its value
  };

  static int add(Rank& rank, OperationKind kind, int peer, int chunk, int slot, int step, std::vector<int> after) {
    const int id = static_cast<int>(rank.program.size());
    rank.program.push_back({kind, id, peer, chunk, slot, step, std::move(after)});
    return id;
  }

  int down_slots_;
  std::vector<Rank> ranks_;
};

std::vector<Flow> flows_of(const std::string& collective, int ranks) {
  std::vector<Flow> flows;
  for (int r = 0; r < ranks; ++r) {
    if (collective == "reduce_scatter") flows.push_back({every_rank, r});
    if (collective == "allgather") flows.push_back({r, every_rank});
    for (int to = 0; to < ranks && collective == "alltoall"; ++to) flows.push_back({r, to});
  }
  return flows;
}

}  // namespace

bool runs_on_trees(const std::string& collective) {
  return collective == "allreduce" || collective == "reduce_scatter" || collective == "allgather" ||
         collective == "alltoall";
}

Schedule step_tree_schedule(const std::string& name, const StepTrees& trees, const std::string& collective) {
  if (!runs_on_trees(collective)) throw ScheduleError(name + ": no " + collective);
  const bool all = collective == "allreduce", personal = collective == "alltoall";
  const bool up = all || collective == "reduce_scatter", down = all || collective == "allgather";
  const int ranks = trees.ranks(), chunks = personal ? ranks * ranks : ranks;
  Writer writer(ranks, all ? chunks : 0);
  for (const Transfer& t : transfers(trees, up, down, personal)) writer.write(t);
  return {name, ranks, chunks, all ? 2 * chunks : chunks, writer.programs(), flows_of(collective, ranks)};
}

}  // namespace tributary::collective
