/// Schedule tables of NICs: the paper's Figure 5, sizes, NOPs (docs/systems/multitree.md#schedule-tables).
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "platforms/topology/network.h"
#include "testbench/collective/tree/multitree.h"
#include "testbench/family/schedule_nic/schedule_tables.h"

namespace tributary::test_schedule_tables {

using namespace tributary::collective;
using Catch::Matchers::Contains;
using Op = ScheduleEntry::Op;
using Tables = std::vector<std::vector<ScheduleEntry>>;

namespace {

constexpr std::uint16_t nil = ScheduleEntry::nil;

Tables tables(const std::string& name, const std::string& collective = "allreduce", NopRule nops = NopRule::every_idle_step,
              std::uint64_t message = 1 << 20) {
  const topology::Network network = topology::network(name);
  std::vector<int> members(static_cast<std::size_t>(network.size()));
  std::iota(members.begin(), members.end(), 0);
  const StepTrees trees = multitree(network.graph, members);
  return schedule_tables(trees, network.graph, collective, even_chunks(network.size(), message), nops);
}

std::size_t most(const Tables& all) {
  std::size_t n = 0;
  for (const auto& table : all) n = std::max(n, table.size());
  return n;
}

std::size_t count(const Tables& all, Op op) {
  std::size_t n = 0;
  for (const auto& table : all)
    n += static_cast<std::size_t>(std::count_if(table.begin(), table.end(), [=](const auto& e) { return e.op == op; }));
  return n;
}

/// An entry as a tuple: op, tree, parent, children, step.
using Row = std::tuple<Op, int, int, std::vector<int>, int>;
std::vector<Row> rows(const std::vector<ScheduleEntry>& table) {
  std::vector<Row> all;
  for (const ScheduleEntry& e : table) {
    std::vector<int> children;
    for (const std::uint16_t c : e.children)
      if (c != nil) children.push_back(c);
    all.emplace_back(e.op, e.tree, e.parent, children, e.step);
  }
  return all;
}

}  // namespace

// Accelerator 2 reduces trees 1, 3, 0; accelerator 3 reduces trees 0, 2, 1.
TEST_CASE("schedule tables: the tables of the paper's example match Figure 5", "[pure]") {
  const Tables t = tables("mesh:2x2");
  const auto R = Op::reduce, G = Op::gather;
  CHECK(rows(t[0]) ==
        std::vector<Row>{{R, 3, 1, {}, 1}, {R, 1, 1, {}, 2}, {R, 2, 2, {1}, 2}, {G, 0, nil, {2, 1}, 3}, {G, 2, 2, {1}, 4}});
  CHECK(rows(t[1]) ==
        std::vector<Row>{{R, 2, 0, {}, 1}, {R, 0, 0, {}, 2}, {R, 3, 3, {0}, 2}, {G, 1, nil, {3, 0}, 3}, {G, 3, 3, {0}, 4}});
  CHECK(rows(t[2]) ==
        std::vector<Row>{{R, 1, 3, {}, 1}, {R, 3, 3, {}, 2}, {R, 0, 0, {3}, 2}, {G, 2, nil, {0, 3}, 3}, {G, 0, 0, {3}, 4}});
  CHECK(rows(t[3]) ==
        std::vector<Row>{{R, 0, 2, {}, 1}, {R, 2, 2, {}, 2}, {R, 1, 1, {2}, 2}, {G, 3, nil, {1, 2}, 3}, {G, 1, 1, {2}, 4}});
}

TEST_CASE("schedule tables: tables have the expected number of entries, with and without NOPs", "[pure]") {
  struct Size {
    const char* name;
    std::size_t entries, with_nops;
  };
  for (const Size& s : {Size{"mesh:2x2", 5, 5}, Size{"torus:4x4", 25, 25}, Size{"torus:8x8", 120, 120},
                        Size{"mesh:4x4", 33, 37}, Size{"mesh:8x8", 139, 158}, Size{"fat_tree_2level:16", 30, 30},
                        Size{"fat_tree_2level:64", 126, 126}, Size{"bigraph:4x8", 62, 62}, Size{"bigraph:4x16", 126, 126}}) {
    INFO(s.name);
    CHECK(most(tables(s.name, "allreduce", NopRule::none)) == s.entries);
    CHECK(most(tables(s.name)) == s.with_nops);
  }
  CHECK(count(tables("mesh:8x8"), Op::nop) == 1023);
  CHECK(count(tables("mesh:4x4"), Op::nop) == 38);
  CHECK(count(tables("torus:8x8"), Op::nop) == 0);
  // Between the first and last operation of a node there are far fewer: most nodes of a mesh are done before the last
  // steps.
  CHECK(count(tables("mesh:8x8", "allreduce", NopRule::between_operations), Op::nop) == 45);
}

TEST_CASE("schedule tables: every node sends and receives each tree once in each phase", "[pure]") {
  for (const char* name : {"torus:4x4", "mesh:4x4", "fat_tree_2level:16", "bigraph:4x8"}) {
    INFO(name);
    const Tables t = tables(name, "allreduce", NopRule::none);
    const std::size_t n = t.size();
    CHECK(count(t, Op::reduce) == n * (n - 1));
    std::vector<std::vector<int>> gathers(n, std::vector<int>(n, 0));  // [tree][receiver]
    for (const auto& table : t) {
      CHECK(std::is_sorted(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.step < b.step; }));
      for (const ScheduleEntry& e : table)
        for (const std::uint16_t c : e.children)
          if (e.op == Op::gather && c != nil) ++gathers[e.tree][c];
    }
    for (std::size_t f = 0; f < n; ++f)
      for (std::size_t r = 0; r < n; ++r) CHECK(gathers[f][r] == (f == r ? 0 : 1));
  }
}

TEST_CASE("schedule tables: trees of empty chunks have no entries", "[pure]") {
  const Tables all = tables("torus:4x4", "allreduce", NopRule::none, 1000);  // 8 blocks of 128 B, the last one of 104 B
  for (const auto& table : all)
    for (const ScheduleEntry& e : table) {
      CHECK(e.tree < 8);
      CHECK(e.start == 128u * e.tree);
      CHECK(e.bytes == (e.tree == 7 ? 104 : 128));
    }
  CHECK(count(all, Op::reduce) == 8 * 15);
}

TEST_CASE("schedule tables: a single phase has its own tables", "[pure]") {
  CHECK(count(tables("torus:4x4", "reduce_scatter"), Op::gather) == 0);
  const Tables gather = tables("torus:4x4", "allgather");
  CHECK(count(gather, Op::reduce) == 0);
  CHECK(gather[0].front().step == 1);
  // Gathers name the children of nodes with more than 4; without Gathers, NOPs with a tree name them.
  const Tables scatter = tables("bigraph:4x8", "reduce_scatter", NopRule::none);
  const Tables both = tables("bigraph:4x8", "allreduce", NopRule::none);
  CHECK(count(both, Op::nop) == 0);
  CHECK(count(scatter, Op::nop) > 0);
  for (std::size_t r = 0; r < both.size(); ++r)
    for (int tree = 0; tree < 32; ++tree) {
      if (tree == static_cast<int>(r)) continue;  // the root sends nothing in a reduce-scatter
      const auto named = [&](const std::vector<ScheduleEntry>& table) {
        std::vector<std::uint16_t> children;
        for (const ScheduleEntry& e : table)
          for (const std::uint16_t c : e.children)
            if (e.tree == tree && c != nil) children.push_back(c);
        std::sort(children.begin(), children.end());
        children.erase(std::unique(children.begin(), children.end()), children.end());
        return children;
      };
      CHECK(named(scatter[r]) == named(both[r]));
    }
}

// A root of the 2x2 mesh serves both its children in one step: with one Gather for both, or one for each.
TEST_CASE("schedule tables: an entry names as many children as it has fields", "[pure]") {
  const topology::Network network = topology::network("mesh:2x2");
  const StepTrees trees = multitree(network.graph, {0, 1, 2, 3});
  const auto narrow = schedule_tables(trees, network.graph, "allreduce", even_chunks(4, 1 << 20), NopRule::none, 1);
  const auto R = Op::reduce, G = Op::gather;
  CHECK(rows(narrow[0]) == std::vector<Row>{{R, 3, 1, {}, 1},
                                            {R, 1, 1, {}, 2},
                                            {R, 2, 2, {1}, 2},
                                            {G, 0, nil, {2}, 3},
                                            {G, 0, nil, {1}, 3},
                                            {G, 2, 2, {1}, 4}});
}

TEST_CASE("schedule tables: values that an entry cannot hold are rejected", "[pure]") {
  CHECK_THROWS_WITH(tables("torus:4x4", "alltoall"), Contains("holds no alltoall"));
  CHECK_THROWS_WITH(tables("mesh:2x2", "allreduce", NopRule::none, std::uint64_t{1} << 36), Contains("32 bits of size"));
}

}  // namespace tributary::test_schedule_tables
