/// Every software algorithm is proved correct and free of deadlock, for every number of ranks from 2 to 64.
#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/collective/schedule/without_empty_chunks.h"
#include "testbench/collective/tree/tree.h"

namespace tributary::test_collectives {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

/// Verifies the schedule, and its lowering for a GPU's executor.
void prove(const Schedule& schedule) {
  CHECK_NOTHROW(verify(schedule));
  const FusedProgram program = fuse(schedule);
  CHECK_NOTHROW(verify(program));
  CHECK_NOTHROW(verify_direct_placement(program));
}

int sends_of(const Schedule& s, int rank) {
  const auto& program = s.programs[static_cast<std::size_t>(rank)];
  return static_cast<int>(
      std::count_if(program.begin(), program.end(), [](const Operation& o) { return o.kind == OperationKind::send; }));
}

/// Removes the n-th operation of a kind at a rank, with the dependencies on it.
void drop(Schedule& s, int rank, OperationKind kind, int n) {
  auto& program = s.programs[static_cast<std::size_t>(rank)];
  auto found = program.begin();
  for (; found != program.end(); ++found)
    if (found->kind == kind && n-- == 0) break;
  REQUIRE(found != program.end());
  const int id = found->id;
  program.erase(found);
  for (Operation& o : program) o.deps.erase(std::remove(o.deps.begin(), o.deps.end(), id), o.deps.end());
}

}  // namespace

TEST_CASE("collectives: every algorithm is correct for 2 to 64 ranks", "[pure]") {
  for (const SoftwareAlgorithm& a : software_algorithms())
    for (int p = 2; p <= 64; ++p) {
      INFO(a.collective << " " << a.name << ", " << p << " ranks");
      prove(software_schedule(a.collective, a.name, p, p / 3, 5 * 16 * 1024));
    }
}

TEST_CASE("collectives: algorithms are correct for every root and every pipeline length", "[pure]") {
  for (const SoftwareAlgorithm& a : software_algorithms())
    for (const int p : {2, 3, 5, 8})
      for (int root = 0; root < p; ++root)
        for (const std::uint64_t bytes : {4u, 132u, 100000u}) {
          INFO(a.collective << " " << a.name << ", " << p << " ranks, root " << root << ", " << bytes << " B");
          prove(software_schedule(a.collective, a.name, p, root, bytes));
        }
}

TEST_CASE("collectives: schedules without their empty chunks are still correct", "[pure]") {
  for (const SoftwareAlgorithm& a : software_algorithms())
    for (const int p : {2, 3, 7, 16}) {
      const Schedule whole = software_schedule(a.collective, a.name, p, p - 1, 4);
      for (int kept = 1; kept < whole.chunks; kept += p) {
        INFO(a.collective << " " << a.name << ", " << p << " ranks, " << kept << " chunks of " << whole.chunks);
        std::vector<bool> empty(static_cast<std::size_t>(whole.chunks), true);
        for (int c = 0; c < kept; ++c) empty[static_cast<std::size_t>(c * 5 % whole.chunks)] = false;
        const Schedule rest = without_chunks(whole, empty);
        prove(rest);
        for (const auto& program : rest.programs)
          for (const Operation& o : program) CHECK_FALSE(empty[static_cast<std::size_t>(o.chunk)]);
      }
    }
}

TEST_CASE("collectives: the proof finds damaged schedules", "[pure]") {
  for (const SoftwareAlgorithm& a : software_algorithms()) {
    INFO(a.collective << " " << a.name);
    const Schedule right = software_schedule(a.collective, a.name, 6, 2, 100000);
    for (int r = 0; r < 6; ++r)
      for (const auto kind : {OperationKind::send, OperationKind::receive, OperationKind::reduce, OperationKind::copy}) {
        const auto& program = right.programs[static_cast<std::size_t>(r)];
        const auto n = std::count_if(program.begin(), program.end(), [&](const Operation& o) { return o.kind == kind; });
        for (int i = 0; i < n; ++i) {
          Schedule s = right;
          drop(s, r, kind, i);
          CHECK_THROWS_AS(verify(s), ScheduleError);
        }
      }
  }
}

TEST_CASE("collectives: the proof rejects a schedule for another collective", "[pure]") {
  Schedule gather = software_schedule("gather", "direct", 4, 1, 1000);
  gather.goals[2].to = 3;
  CHECK_THROWS_WITH(verify(gather), Contains("chunk 2 of rank 3 ends with the operand of rank 2 0 times"));
  Schedule broadcast = software_schedule("broadcast", "ring", 4, 1, 1000);
  broadcast.goals[0].from = 0;
  CHECK_THROWS_AS(verify(broadcast), ScheduleError);
  Schedule reduce = software_schedule("reduce", "ring", 4, 1, 1000);
  reduce.goals[0].to = every_rank;
  CHECK_THROWS_WITH(verify(reduce), Contains("of rank 1 0 times (legal: the operand of each rank once)"));
  Schedule few = software_schedule("allgather", "ring", 4, 1, 1000);
  few.goals.pop_back();
  CHECK_THROWS_WITH(verify(few), Contains("3 goals for 4 chunks"));
}

TEST_CASE("collectives: the proof finds a barrier that a rank can leave early", "[pure]") {
  Schedule s = software_schedule("barrier", "dissemination", 8, 0, 4);
  for (auto& program : s.programs) program.resize(4);  // two rounds of three
  CHECK_THROWS_WITH(verify(s), Contains("may leave the barrier before rank"));
  CHECK_THROWS_WITH(verify(fuse(s)), Contains("may leave the barrier before rank"));
}

TEST_CASE("trees: each rank is an inner node of at most one of two trees", "[pure]") {
  for (int p = 1; p <= 130; ++p) {
    INFO(p << " ranks");
    const std::vector<Tree> trees = double_binary_trees(p);
    REQUIRE(trees.size() == 2);
    int inner_ranks = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(p); ++r) {
      int inner = 0;
      for (const Tree& tree : trees) {
        CHECK(tree.children[r].size() <= 2);
        inner += !tree.children[r].empty();
        for (const int child : tree.children[r]) CHECK(tree.parent[static_cast<std::size_t>(child)] == static_cast<int>(r));
      }
      CHECK(inner <= 1);
      inner_ranks += inner;
    }
    CHECK(inner_ranks >= p - 1);  // nearly all ranks share the work
    int log = 0;
    while ((2 << log) <= p) ++log;
    for (const Tree& tree : trees) {
      CHECK(std::count(tree.parent.begin(), tree.parent.end(), no_rank) == 1);
      CHECK(tree.height() <= log + 1);
    }
  }
}

TEST_CASE("trees: the trees of seven ranks match those made by hand", "[pure]") {
  const std::vector<Tree> trees = double_binary_trees(7);
  // Labels 1 to 7 in order: root 4 with children 2 and 6.
  CHECK(trees[0].parent == std::vector<int>{1, 3, 1, no_rank, 5, 3, 5});
  // Shifted by one: label 4 is rank 4, labels 2 and 6 are ranks 2 and 6, label 7 is rank 0.
  CHECK(trees[1].parent == std::vector<int>{6, 2, 4, 2, no_rank, 6, 4});
  const std::vector<Tree> below = double_binary_trees_below(8, 3);
  for (const Tree& tree : below) {
    CHECK(tree.root() == 3);
    CHECK(tree.children[3].size() == 1);
  }
}

TEST_CASE("halving and doubling sends 2(p-1)/p of the message in 2 log2 p exchanges", "[pure]") {
  const Schedule s = halving_doubling_allreduce(16);
  for (int r = 0; r < 16; ++r) CHECK(sends_of(s, r) == 30);  // 8 + 4 + 2 + 1 of 16 chunks, twice
  // 5 ranks: rank 1 sends all 4 chunks to rank 0 and receives them back; the others exchange 2 + 1 chunks twice.
  const Schedule five = halving_doubling_allreduce(5);
  CHECK(sends_of(five, 0) == 10);
  CHECK(sends_of(five, 1) == 4);
  CHECK(sends_of(five, 2) == 6);
}

}  // namespace tributary::test_collectives
