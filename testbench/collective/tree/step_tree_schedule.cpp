#include "testbench/collective/tree/step_tree_schedule.h"

#include <algorithm>
#include <utility>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

constexpr int most_personal = 256;  // an all-to-all has ranks x ranks chunks, each with its own path

/// One chunk over one edge.
struct Transfer {
  int step = 0, from = 0, to = 0, chunk = 0;
  bool up = false;  ///< towards the root
};

/// Returns the ranks at and below each rank of a tree.
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

/// Returns all transfers of a collective by step, then in the order of the trees and of their growth.
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

/// The order of a rank's operations: an operation waits for the last operations of the previous step, or for the previous
/// operation with the same peer in the same step.
class StepOrder {
 public:
  /// Returns the operations for which the next operation with this peer waits. Call enter() with that operation afterwards.
  std::vector<int> before(int step, int peer) {
    if (step != step_) {
      earlier_.clear();
      for (const auto& [other, id] : last_) earlier_.push_back(id);
      last_.clear();
      step_ = step;
    }
    const auto same = of(peer);
    return same == last_.end() ? earlier_ : std::vector<int>{same->second};
  }
  void enter(int peer, int id) {
    const auto same = of(peer);
    if (same == last_.end())
      last_.emplace_back(peer, id);
    else
      same->second = id;
  }

 private:
  using Last = std::vector<std::pair<int, int>>;  // (peer, id), few entries
  Last::iterator of(int peer) {
    return std::find_if(last_.begin(), last_.end(), [=](const auto& entry) { return entry.first == peer; });
  }

  int step_ = 0;
  std::vector<int> earlier_;  ///< last operations of the previous step
  Last last_;                 ///< last operations of this step
};

/// Builds the program of one rank from its transfers in order.
class RankWriter {
  static constexpr int nothing = -1;

 public:
  RankWriter(int rank, int chunks, int down_slots)
      : rank_(rank), down_slots_(down_slots), value_(at(chunks), nothing), given_(at(chunks), nothing) {}

  void write(const Transfer& t) {
    const int slot = t.up ? t.chunk : down_slots_ + t.chunk;
    t.from == rank_ ? send(t, slot) : take(t, slot);
  }
  std::vector<Operation> finish() { return std::move(program_); }

 private:
  void send(const Transfer& t, int slot) {
    std::vector<int> after = sends_.before(t.step, t.to);
    if (value_[at(t.chunk)] != nothing) after.push_back(value_[at(t.chunk)]);
    const int id = add(OperationKind::send, t.to, t, slot, std::move(after));
    sends_.enter(t.to, id);
    if (t.up) given_[at(t.chunk)] = id;
  }

  void take(const Transfer& t, int slot) {
    const int received = add(OperationKind::receive, t.from, t, slot, takes_.before(t.step, t.from));
    std::vector<int> after;
    // A value is overwritten after it has been sent. The messages imply this, but the program alone then proves it, too.
    const int before = t.up ? value_[at(t.chunk)] : given_[at(t.chunk)];
    if (before != nothing) after.push_back(before);
    after.push_back(received);
    const int taken = add(t.up ? OperationKind::reduce : OperationKind::copy, t.from, t, slot, std::move(after));
    takes_.enter(t.from, taken);
    value_[at(t.chunk)] = taken;
  }

  int add(OperationKind kind, int peer, const Transfer& t, int slot, std::vector<int> after) {
    const int id = static_cast<int>(program_.size());
    program_.push_back({kind, id, peer, t.chunk, slot, t.step, std::move(after)});
    return id;
  }

  int rank_, down_slots_;
  std::vector<Operation> program_;
  StepOrder sends_, takes_;
  std::vector<int> value_;  ///< [chunk] operation that gave it its value
  std::vector<int> given_;  ///< [chunk] send to the parent
};

std::vector<std::vector<Operation>> programs(const std::vector<Transfer>& all, int ranks, int chunks, int down_slots) {
  std::vector<std::vector<std::size_t>> mine(at(ranks));  // rank by rank, for locality in the cache
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const int rank : {all[i].from, all[i].to}) mine[at(rank)].push_back(i);
  std::vector<std::vector<Operation>> result;
  for (int r = 0; r < ranks; ++r) {
    RankWriter writer(r, chunks, down_slots);
    for (const std::size_t i : mine[at(r)]) writer.write(all[i]);
    result.push_back(writer.finish());
  }
  return result;
}

/// Returns the goal of each chunk. An all-reduce, which goes up and down, has none, as its chunks go from all ranks to all.
std::vector<Goal> goals_of(const TreeRoutes& routes, int ranks) {
  std::vector<Goal> goals;
  for (int r = 0; r < ranks; ++r) {
    if (routes.up && !routes.down) goals.push_back({every_rank, r});
    if (routes.down && !routes.up) goals.push_back({r, every_rank});
    for (int to = 0; to < ranks && routes.personal; ++to) goals.push_back({r, to});
  }
  return goals;
}

}  // namespace

const TreeRoutes* tree_routes(const std::string& collective) {
  static const std::vector<TreeRoutes> all{{"allreduce", true, true, false},
                                           {"reduce_scatter", true, false, false},
                                           {"allgather", false, true, false},
                                           {"alltoall", false, false, true}};
  const auto found = std::find_if(all.begin(), all.end(), [&](const TreeRoutes& w) { return w.collective == collective; });
  return found == all.end() ? nullptr : &*found;
}

Schedule step_tree_outline(const std::string& name, const StepTrees& trees, const std::string& collective) {
  const TreeRoutes* routes = tree_routes(collective);
  if (routes == nullptr) throw ScheduleError(name + ": no trees for " + collective);
  if (routes->personal && trees.ranks() > most_personal)
    throw ScheduleError(name + ": " + collective + " on " + std::to_string(trees.ranks()) + " nodes (legal: at most " +
                        std::to_string(most_personal) + ")");
  const int ranks = trees.ranks(), chunks = routes->personal ? ranks * ranks : ranks;
  return {name, ranks, chunks, routes->up && routes->down ? 2 * chunks : chunks, {}, goals_of(*routes, ranks)};
}

Schedule step_tree_schedule(const std::string& name, const StepTrees& trees, const std::string& collective) {
  Schedule schedule = step_tree_outline(name, trees, collective);
  const TreeRoutes& routes = *tree_routes(collective);
  schedule.programs = programs(transfers(trees, routes.up, routes.down, routes.personal), schedule.ranks, schedule.chunks,
                               schedule.slots - schedule.chunks);
  return schedule;
}

}  // namespace tributary::collective
