#include "testbench/family/schedule_nic/schedule_tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/tree/step_tree_schedule.h"

namespace tributary::collective {
namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;
constexpr std::size_t most_children = std::tuple_size_v<decltype(ScheduleEntry::children)>;

class Tables {
 public:
  Tables(const StepTrees& trees, const topology::Graph& graph, const std::vector<ChunkRange>& chunks, int fan)
      : trees_(trees), graph_(graph), chunks_(chunks), fan_(at(fan)), tables_(trees.nodes.size()) {
    if (chunks.size() != trees.nodes.size())
      throw ScheduleError(std::to_string(chunks.size()) + " chunks for " + std::to_string(trees.nodes.size()) + " trees");
    for (const ChunkRange& chunk : chunks) check_nic_chunk(chunk.offset, chunk.bytes);
  }

  /// Adds the Reduces, in steps S to 1 of the tree's growth; the step of a node's entry is the step in which it sends.
  void add_reduces(const StepTree& tree, bool gathers_follow) {
    std::vector<std::vector<int>> children(trees_.nodes.size());
    for (const TreeEdge& e : tree.edges) children[at(e.parent)].push_back(e.child);
    for (const TreeEdge& e : tree.edges) {
      const auto& all = children[at(e.child)];
      const int step = trees_.steps + 1 - e.step;
      add(e.child, Op::reduce, tree.root, nic(e.parent), first_of(all, 0), step);
      for (std::size_t i = fan_; i < all.size() && !gathers_follow; i += fan_)
        add(e.child, Op::nop, tree.root, nil, first_of(all, i), step);
    }
  }

  void add_gathers(const StepTree& tree, int before) {
    std::map<std::pair<int, int>, std::vector<int>> served;  // (step, parent) -> children in order of addition
    std::vector<std::uint16_t> parent(trees_.nodes.size(), nil);
    for (const TreeEdge& e : tree.edges) {
      served[{e.step, e.parent}].push_back(e.child);
      parent[at(e.child)] = nic(e.parent);
    }
    for (const auto& [key, children] : served)
      for (std::size_t i = 0; i < children.size(); i += fan_)
        add(key.second, Op::gather, tree.root, parent[at(key.second)], first_of(children, i), before + key.first);
  }

  std::vector<std::vector<ScheduleEntry>> finish(int steps, NopRule nops) {
    for (auto& table : tables_) {
      if (nops != NopRule::none) fill(table, steps, nops);
      std::stable_sort(table.begin(), table.end(), goes_before);
    }
    return std::move(tables_);
  }

 private:
  std::uint16_t nic(int rank) const { return static_cast<std::uint16_t>(graph_.node(trees_.nodes[at(rank)]).index); }

  std::array<std::uint16_t, most_children> first_of(const std::vector<int>& ranks, std::size_t from) const {
    std::array<std::uint16_t, most_children> nics{nil, nil, nil, nil};
    for (std::size_t i = 0; i < fan_ && from + i < ranks.size(); ++i) nics[i] = nic(ranks[from + i]);
    return nics;
  }

  void add(int rank, Op op, int root, std::uint16_t parent, std::array<std::uint16_t, most_children> children, int step) {
    const ChunkRange& chunk = chunks_[at(root)];
    tables_[at(rank)].push_back({op, nic(root), parent, children, static_cast<std::uint16_t>(step), chunk.offset,
                                 static_cast<std::uint32_t>(chunk.bytes)});
  }

  void fill(std::vector<ScheduleEntry>& table, int steps, NopRule nops) const {
    std::vector<bool> busy(at(steps) + 1, false);
    for (const ScheduleEntry& e : table) busy[e.step] = true;
    auto first = 1, last = steps;
    if (nops == NopRule::between_operations) {
      first = static_cast<int>(std::find(busy.begin(), busy.end(), true) - busy.begin());
      while (last > 0 && !busy[at(last)]) --last;
    }
    std::uint64_t longest = 0;
    for (const ChunkRange& chunk : chunks_) longest = std::max(longest, chunk.bytes);
    for (int step = first; step <= last; ++step)
      if (!busy[at(step)])
        table.push_back({Op::nop,
                         nil,
                         nil,
                         {nil, nil, nil, nil},
                         static_cast<std::uint16_t>(step),
                         0,
                         static_cast<std::uint32_t>(longest)});
  }

  const StepTrees& trees_;
  const topology::Graph& graph_;
  const std::vector<ChunkRange>& chunks_;
  std::size_t fan_;                                 // children of an entry
  std::vector<std::vector<ScheduleEntry>> tables_;  ///< [rank]
};

}  // namespace

bool goes_before(const ScheduleEntry& a, const ScheduleEntry& b) {
  const auto key = [](const ScheduleEntry& e) {
    const bool waits = e.op == Op::gather ? e.parent != nil : e.children[0] != nil;
    return std::tuple(e.step, waits, e.tree);
  };
  return key(a) < key(b);
}

void check_nic_chunk(std::uint64_t address, std::uint64_t bytes) {
  if (bytes >> 32 != 0 || (address + bytes) >> 48 != 0)
    throw ScheduleError("a chunk of " + std::to_string(bytes) + " B at " + std::to_string(address) +
                        " does not fit a NIC's entry (legal: 32 bits of size, 48 of address)");
}

std::vector<std::vector<ScheduleEntry>> schedule_tables(const StepTrees& trees, const topology::Graph& graph,
                                                        const std::string& collective, const std::vector<ChunkRange>& chunks,
                                                        NopRule nops, int fan) {
  const TreeRoutes* routes = tree_routes(collective);
  if (routes == nullptr || routes->personal)
    throw ScheduleError("a schedule table holds no " + collective + " (legal: allreduce, reduce_scatter or allgather)");
  const bool all = routes->up && routes->down;
  const int steps = all ? 2 * trees.steps : trees.steps;
  if (steps >= nil) throw ScheduleError("a schedule of " + std::to_string(steps) + " steps does not fit a table entry");
  Tables tables(trees, graph, chunks, fan);
  for (const StepTree& tree : trees.trees) {
    if (chunks[at(tree.root)].bytes == 0) continue;
    if (routes->up) tables.add_reduces(tree, all);
    if (routes->down) tables.add_gathers(tree, all ? trees.steps : 0);
  }
  return tables.finish(steps, nops);
}

std::vector<Arrivals> arrivals_of(const std::vector<std::vector<ScheduleEntry>>& tables, const std::vector<int>& nics) {
  std::map<std::uint16_t, std::size_t> rank;
  for (std::size_t r = 0; r < nics.size(); ++r) rank[static_cast<std::uint16_t>(nics[r])] = r;
  std::vector<Arrivals> arrivals(tables.size());
  for (const auto& table : tables)
    for (const ScheduleEntry& e : table) {
      if (e.op == Op::reduce) ++arrivals[rank.at(e.parent)].reduces;
      for (const std::uint16_t child : e.children)
        if (e.op == Op::gather && child != nil) ++arrivals[rank.at(child)].gathers;
    }
  return arrivals;
}

std::vector<ChunkRange> even_chunks(int ranks, std::uint64_t message_bytes) {
  std::vector<ChunkRange> chunks;
  for (int r = 0; r < ranks; ++r) chunks.push_back(chunk_range(r, ranks, message_bytes));
  return chunks;
}

}  // namespace tributary::collective
