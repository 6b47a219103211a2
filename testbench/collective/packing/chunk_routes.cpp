#include "testbench/collective/packing/chunk_routes.h"

#include <algorithm>
#include <numeric>

#include "modules/base/host/wide.h"
#include "modules/base/index.h"
#include "testbench/collective/schedule/parts.h"

namespace tributary::collective {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw ScheduleError("trees of a collective: " + why); }

bool in_parts(TreeUse use) { return use == TreeUse::gather || use == TreeUse::allgather || use == TreeUse::reduce_scatter; }
bool one_root(TreeUse use) { return use == TreeUse::broadcast || use == TreeUse::reduce || use == TreeUse::gather; }

/// Checks that the tree reaches every rank once from its root.
void check_tree(const Tree& tree, std::size_t ranks) {
  if (tree.parent.size() != ranks || tree.children.size() != ranks) refuse("they have different numbers of ranks");
  const int root = tree.root();
  if (at(root) >= ranks) refuse("one has no root");
  const std::vector<int> depth = depths(tree, root);
  if (std::find(depth.begin(), depth.end(), -1) != depth.end()) refuse("one does not reach every rank");
}

void check(const TreeRequest& request) {
  if (request.trees.empty()) refuse("there are none");
  const std::size_t ranks = request.trees.front().tree.parent.size();
  if (ranks < 2) refuse("a collective over trees has at least 2 ranks");
  if (request.chunk_bytes < block_bytes) refuse("a chunk has at least " + std::to_string(block_bytes) + " B");
  for (const WeightedTree& t : request.trees) {
    check_tree(t.tree, ranks);
    if (t.units < 1) refuse("one has no weight");
    if (one_root(request.use) && t.tree.root() != request.trees.front().tree.root()) refuse("they have different roots");
  }
}

/// Returns the path from a rank up to the root of the tree, as a tree whose root is the rank.
Tree path_up(const Tree& tree, int from) {
  Tree path{std::vector<int>(tree.parent.size(), no_rank), std::vector<std::vector<int>>(tree.parent.size())};
  for (int here = from; tree.parent[at(here)] != no_rank; here = tree.parent[at(here)]) {
    path.parent[at(tree.parent[at(here)])] = here;
    path.children[at(here)] = {tree.parent[at(here)]};
  }
  return path;
}

/// Returns the route of the whole message (part: no_rank), or of one rank's slice.
ChunkRoute route(TreeUse use, int index, const Tree& tree, int part) {
  const int root = tree.root();
  switch (use) {
    case TreeUse::broadcast:
      return {index, tree, root, false, true, {root, every_rank}};
    case TreeUse::reduce:
      return {index, tree, root, true, false, {every_rank, root}};
    case TreeUse::allreduce:
      return {index, tree, root, true, true, {}};
    case TreeUse::gather:
      return {index, path_up(tree, part), part, false, true, {part, root}};
    case TreeUse::allgather:
      return {index, rerooted(tree, part), part, false, true, {part, every_rank}};
    case TreeUse::reduce_scatter:
      return {index, rerooted(tree, part), part, true, false, {every_rank, part}};
  }
  refuse("an unknown collective");
}

struct Range {
  std::uint64_t address = 0, bytes = 0;
};

/// Returns the weight of a tree for a rank's slice, or for the message (no_rank).
std::int64_t units_in(const TreeRequest& request, const WeightedTree& t, int part) {
  return request.from_roots && part != no_rank && t.tree.root() != part ? 0 : t.units;
}

/// Divides a range that begins at a whole block among the trees.
std::vector<Range> shares(const TreeRequest& request, const Range& whole, int part) {
  std::int64_t all = 0, before = 0;
  for (const WeightedTree& t : request.trees) all += units_in(request, t, part);
  if (all == 0) refuse("none has rank " + std::to_string(part) + " as its root");
  const auto block = [&](std::int64_t units) {  // begin or end of a tree's range
    const Wide product = Wide{blocks_of(whole.bytes)} * static_cast<std::uint64_t>(units);
    return std::min(static_cast<std::uint64_t>(product / static_cast<std::uint64_t>(all)) * block_bytes, whole.bytes);
  };
  std::vector<Range> found;
  for (const WeightedTree& t : request.trees) {
    const std::uint64_t begin = block(before), end = block(before += units_in(request, t, part));
    found.push_back({whole.address + begin, end - begin});
  }
  return found;
}

/// A chunk with its position in the order of issue: chunk `number` of `of` is issued at (2 number + 1) / (2 of).
struct Turn {
  PackedChunk chunk;
  std::uint64_t number, of;

  bool operator<(const Turn& other) const {
    const Wide mine = Wide{2 * number + 1} * other.of, others = Wide{2 * other.number + 1} * of;
    return mine != others ? mine < others : chunk.route < other.chunk.route;
  }
};

/// The proofs of this many chunks need some seconds.
constexpr std::uint64_t most_chunks = 10'000;

void check_chunks(const TreeRequest& request) {
  const std::uint64_t chunk = request.chunk_bytes / block_bytes * block_bytes, chunks = request.message_bytes / chunk;
  if (chunks > most_chunks)
    refuse("chunks of " + to_string(bytes(chunk)) + " cut " + to_string(bytes(request.message_bytes)) + " into " +
           std::to_string(chunks) + " (legal: up to " + std::to_string(most_chunks) + ")");
}

void cut(const Range& share, int route, std::uint64_t chunk_bytes, std::vector<Turn>& turns) {
  const std::uint64_t most = chunk_bytes / block_bytes, blocks = blocks_of(share.bytes), n = (blocks + most - 1) / most;
  for (std::uint64_t k = 0; k < n; ++k) {
    const ChunkRange range = chunk_range(static_cast<int>(k), static_cast<int>(n), share.bytes);
    turns.push_back({{route, share.address + range.offset, range.bytes}, k, n});
  }
}

}  // namespace

PackedSchedule routed_chunks(const TreeRequest& request) {
  check(request);
  check_chunks(request);
  const auto ranks = static_cast<int>(request.trees.front().tree.parent.size());
  PackedSchedule packed;
  std::vector<Turn> turns;
  const auto add = [&](const Range& whole, int part) {
    const std::vector<Range> share = shares(request, whole, part);
    for (std::size_t t = 0; t < share.size(); ++t) {
      if (share[t].bytes == 0) continue;
      cut(share[t], static_cast<int>(packed.routes.size()), request.chunk_bytes, turns);
      packed.routes.push_back(route(request.use, static_cast<int>(t), request.trees[t].tree, part));
    }
  };
  if (in_parts(request.use)) {
    const Parts parts(request.message_bytes, request.element_bytes, at(ranks));
    for (int part = 0; part < ranks; ++part)
      if (request.use != TreeUse::gather || part != request.trees.front().tree.root())
        add({parts.address(at(part)), parts.bytes(at(part))}, part);
  } else {
    add({0, request.message_bytes}, no_rank);
  }
  std::sort(turns.begin(), turns.end());
  for (const Turn& turn : turns) packed.chunks.push_back(turn.chunk);
  return packed;
}

}  // namespace tributary::collective
