/// Weighted trees as proved schedules (docs/systems/blink.md#codegen).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "modules/base/index.h"
#include "testbench/collective/schedule/parts.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/test/harness/blink_trees.h"

namespace tributary::test_packed_schedule {

using namespace tributary::collective;
using blink_trees::trees_of;
using Catch::Matchers::Contains;

namespace {

/// Returns the bytes that cross the directed edges of each tree.
using Loads = std::map<std::tuple<int, int, int>, std::uint64_t>;

Loads loads(const PackedSchedule& packed) {
  Loads found;
  for (std::size_t r = 0; r < packed.schedule.programs.size(); ++r)
    for (const Operation& o : packed.schedule.programs[r])
      if (o.kind == OperationKind::send) {
        const PackedChunk& chunk = packed.chunks[at(o.chunk)];
        found[{packed.routes[at(chunk.route)].tree, static_cast<int>(r), o.peer}] += chunk.bytes;
      }
  return found;
}

/// Checks that chunks begin at whole blocks, that none is empty or too long, and that chunks of a range are adjacent.
void check_chunks(const PackedSchedule& packed, const TreeRequest& request,
                  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks;
  for (const PackedChunk& c : packed.chunks) {
    CHECK(c.bytes > 0);
    CHECK(c.bytes <= request.chunk_bytes);
    CHECK(c.address % block_bytes == 0);
    chunks.emplace_back(c.address, c.bytes);
  }
  std::sort(chunks.begin(), chunks.end());
  std::size_t next = 0;
  for (const auto& [address, bytes] : ranges)
    for (std::uint64_t here = address; here < address + bytes; here += chunks[next++].second) {
      REQUIRE(next < chunks.size());
      REQUIRE(chunks[next].first == here);
    }
  CHECK(next == chunks.size());
}

/// Checks that the edges of every tree carry its fraction of the message, to within a block, and that every sum of N
/// operands has N - 1 additions.
void check_shares(const PackedSchedule& packed, const TreeRequest& request) {
  std::int64_t all = 0;
  for (const WeightedTree& t : request.trees) all += t.units;
  const Loads found = loads(packed);
  const double message = static_cast<double>(request.message_bytes);
  for (std::size_t t = 0; t < request.trees.size(); ++t)
    for (std::size_t r = 0; r < request.trees[t].tree.parent.size(); ++r) {
      const int child = static_cast<int>(r), parent = request.trees[t].tree.parent[r];
      if (parent == no_rank) continue;
      const double share = message * static_cast<double>(request.trees[t].units) / static_cast<double>(all);
      const auto carried = [&](int from, int to) {
        const auto edge = found.find({static_cast<int>(t), from, to});
        return edge == found.end() ? 0.0 : static_cast<double>(edge->second);
      };
      const bool down = request.use != TreeUse::reduce, up = request.use != TreeUse::broadcast;
      CHECK(std::abs(carried(parent, child) - (down ? share : 0)) <= (down ? block_bytes : 0));
      CHECK(std::abs(carried(child, parent) - (up ? share : 0)) <= (up ? block_bytes : 0));
    }
  std::map<int, int> additions;
  for (const auto& program : packed.schedule.programs)
    for (const Operation& o : program) additions[o.chunk] += o.kind == OperationKind::reduce;
  const int wanted = request.use == TreeUse::broadcast ? 0 : packed.schedule.ranks - 1;
  for (const auto& [chunk, count] : additions) CHECK(count == wanted);
}

}  // namespace

TEST_CASE("packed schedule: every class of both machines is proved, with each tree's fraction on its edges", "[pure]") {
  blink_trees::for_each_class([](const auto& down, const auto& both) {
    for (const TreeUse use : {TreeUse::broadcast, TreeUse::reduce, TreeUse::allreduce}) {
      const TreeRequest request{use, use == TreeUse::allreduce ? both : down, 100'000, 4, 4096};
      const PackedSchedule packed = packed_schedule(request);
      CHECK_NOTHROW(verify(packed.schedule));
      check_chunks(packed, request, {{0, 100'000}});
      check_shares(packed, request);
    }
  });
}

TEST_CASE("packed schedule: slices are gathered, broadcast and scattered on every class", "[pure]") {
  blink_trees::for_each_class([](const auto& down, const auto& both) {
    const auto ranks = static_cast<int>(both.front().tree.parent.size());
    for (const TreeUse use : {TreeUse::gather, TreeUse::allgather, TreeUse::reduce_scatter})
      for (const std::uint64_t message : {std::uint64_t{8}, std::uint64_t{40'004}}) {
        const TreeRequest request{use, use == TreeUse::gather ? down : both, message, 4, 2048};
        const PackedSchedule packed = packed_schedule(request);
        CHECK_NOTHROW(verify(packed.schedule));
        const Parts parts(message, 4, at(ranks));
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        for (int r = 0; r < ranks; ++r)
          if (use != TreeUse::gather || r != 0) ranges.emplace_back(parts.address(at(r)), parts.bytes(at(r)));
        check_chunks(packed, request, ranges);
        std::map<int, int> additions, arrivals;
        for (const auto& program : packed.schedule.programs)
          for (const Operation& o : program) {
            additions[o.chunk] += o.kind == OperationKind::reduce;
            arrivals[o.chunk] += o.kind == OperationKind::receive;
          }
        for (const auto& [chunk, count] : additions) {
          CHECK(count == (use == TreeUse::reduce_scatter ? ranks - 1 : 0));
          if (use != TreeUse::gather) CHECK(arrivals[chunk] == ranks - 1);
        }
      }
  });
}

TEST_CASE("packed schedule: messages of a few bytes, of odd sizes, and of one chunk per tree are proved", "[pure]") {
  for (const TreeUse use : {TreeUse::broadcast, TreeUse::reduce, TreeUse::allreduce}) {
    const auto trees = trees_of(topology::dgx1v(), blink_trees::all_gpus, use);
    for (const std::uint64_t message : {4, 128, 132, 640, 1284, 99'996}) {
      const TreeRequest request{use, trees, message, 4, 1'000'000};
      const PackedSchedule packed = packed_schedule(request);
      check_chunks(packed, request, {{0, message}});
      check_shares(packed, request);
      CHECK(packed.chunks.size() == std::min<std::size_t>(packed.routes.size(), blocks_of(message)));
    }
  }
}

TEST_CASE("packed schedule: large messages are proved chunk by chunk", "[pure]") {
  const auto trees = trees_of(topology::dgx1v(), blink_trees::all_gpus, TreeUse::allreduce);
  const TreeRequest request{TreeUse::allreduce, trees, 1'000'000'000, 4, 500'000};
  const PackedSchedule packed = packed_schedule(request);
  CHECK(packed.chunks.size() >= 2000);
  CHECK(packed.schedule.programs.size() == 8);
  check_chunks(packed, request, {{0, 1'000'000'000}});
}

TEST_CASE("packed schedule: trees take turns by weight", "[pure]") {
  // Three quarters go to one tree, a quarter to the other: of any four chunks, three go to the first tree.
  const Tree path = path_tree(3, 0);
  const PackedSchedule packed =
      packed_schedule({TreeUse::broadcast, {{path, 3, 0}, {path, 1, 1}}, std::uint64_t{64} * block_bytes, 4, block_bytes});
  CHECK(packed.chunks.size() == 64);
  for (std::size_t c = 0; c < 64; c += 4) {
    int first = 0;
    for (std::size_t i = c; i < c + 4; ++i) first += packed.routes[at(packed.chunks[i].route)].tree == 0;
    CHECK(first == 3);
  }
}

TEST_CASE("packed schedule: trees have one hop through a switch, and form a chain below PCIe switches", "[pure]") {
  for (const TreeUse use : {TreeUse::allreduce, TreeUse::allgather, TreeUse::reduce_scatter}) {
    const PackedSchedule packed = packed_schedule({use, one_hop_trees(16), 160'000, 4, 4096});
    for (const ChunkRoute& route : packed.routes)
      if (use == TreeUse::allreduce) CHECK(route.routes.children[at(route.root)].size() == 15);
    if (use != TreeUse::allreduce) continue;
    // Each GPU sends 15/16 of the message up, and the same amount down.
    std::map<int, std::uint64_t> sent;
    for (const auto& [edge, bytes] : loads(packed)) sent[std::get<1>(edge)] += bytes;
    for (const auto& [rank, bytes] : sent) CHECK(std::abs(static_cast<double>(bytes) - 300'000.0) <= 15 * 128);
  }
  // GPUs 0 to 3 are below one socket, 4 to 7 below the other; pairs are below a switch: each boundary is crossed once per
  // direction.
  for (int root = 0; root < 8; ++root) {
    std::map<std::pair<int, int>, int> crossings;
    for (const auto& [edge, bytes] : loads(packed_schedule({TreeUse::broadcast, chain_from(8, root), 4096, 4, 4096})))
      for (const int below : {2, 4}) {
        const int from = std::get<1>(edge) / below, to = std::get<2>(edge) / below;
        if (from == to) continue;
        ++crossings[{below * 100 + from, 0}];  // out of it
        ++crossings[{below * 100 + to, 1}];    // into it
      }
    for (const auto& [border, times] : crossings) CHECK(times == 1);
  }
  CHECK(depths(chain_from_middle(8).front().tree, 4) == std::vector<int>{4, 3, 2, 1, 0, 1, 2, 3});
  CHECK_NOTHROW(packed_schedule({TreeUse::allreduce, chain_from_middle(5), 4096, 4, 128}));
}

TEST_CASE("packed schedule: trees that do not fit are rejected", "[pure]") {
  const Tree path = path_tree(3, 0), other = path_tree(3, 1);
  const auto refused = [](const TreeRequest& request, const std::string& why) {
    CHECK_THROWS_WITH(packed_schedule(request), Contains(why));
  };
  refused({TreeUse::broadcast, {}, 128, 4, 128}, "there are none");
  refused({TreeUse::broadcast, {{path_tree(1, 0)}}, 128, 4, 128}, "at least 2 ranks");
  refused({TreeUse::broadcast, {{path}}, 128, 4, 127}, "at least 128 B");
  refused({TreeUse::broadcast, {{path, 0}}, 128, 4, 128}, "no weight");
  refused({TreeUse::broadcast, {{path}, {other}}, 128, 4, 128}, "different roots");
  CHECK_NOTHROW(packed_schedule({TreeUse::allreduce, {{path}, {other}}, 128, 4, 128}));
  refused({TreeUse::allreduce, {{path}, {path_tree(4, 0)}}, 128, 4, 128}, "different numbers");
  refused({TreeUse::broadcast, {{path}}, 128 * 10'001, 4, 128}, "into 10001 (legal: up to 10000)");
  refused({TreeUse::allgather, {{path}}, 500'000'000, 4, 255}, "chunks of 128B cut 500MB into 3906250");
  Tree torn = path;
  torn.children[1].clear();
  refused({TreeUse::broadcast, {{torn}}, 128, 4, 128}, "does not reach every rank");
}

}  // namespace tributary::test_packed_schedule
