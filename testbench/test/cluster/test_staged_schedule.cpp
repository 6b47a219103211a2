/// Staged schedules of servers: shapes of groups, proofs of all algorithms, and damage that the proof finds.
#include <catch2/catch.hpp>

#include <algorithm>

#include "testbench/collective/staged/staged_schedule.h"

namespace tributary::test_staged_schedule {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t MiB = 1024 * 1024;

GroupShape shape(int servers, int each) {
  GroupShape s;
  s.servers = servers, s.ranks_each = each;
  s.local.clear();
  for (int g = 0; g < each; ++g) s.local.push_back(g);
  return s;
}

StagedSchedule pull_ring(int servers, int each) {
  return staged("allreduce", "pull_ring", shape(servers, each), 64 * MiB, 0);
}

}  // namespace

TEST_CASE("staged: a group has the shape of its servers", "[pure]") {
  const auto whole = shape_of({8, 9, 10, 11, 16, 17, 18, 19}, 8);
  REQUIRE(whole);
  CHECK(whole->servers == 2);
  CHECK(whole->ranks_each == 4);
  CHECK(whole->local == std::vector<int>{0, 1, 2, 3});
  CHECK(whole->first_server == 1);
  CHECK(whole->server_stride == 1);
  const auto rail = shape_of({5, 21, 37}, 8);
  REQUIRE(rail);
  CHECK(rail->servers == 3);
  CHECK(rail->ranks_each == 1);
  CHECK(rail->local == std::vector<int>{5});
  CHECK(rail->server_stride == 2);
  const auto back = shape_of({8, 0}, 8);
  REQUIRE(back);
  CHECK(back->first_server == 1);
  CHECK(back->server_stride == -1);
  const auto alone = shape_of({3, 1}, 8);
  REQUIRE(alone);
  CHECK(alone->servers == 1);
  CHECK(alone->local == std::vector<int>{3, 1});
}

TEST_CASE("staged: unlike servers have no shape", "[pure]") {
  CHECK_FALSE(shape_of({0, 1, 8}, 8));      // two GPUs and one
  CHECK_FALSE(shape_of({0, 1, 8, 10}, 8));  // other GPUs
  CHECK_FALSE(shape_of({0, 8, 24}, 8));     // unlike distances
  CHECK_FALSE(shape_of({0, 8, 1, 9}, 8));   // not server by server
  CHECK_FALSE(shape_of({0, 0}, 8));
  CHECK_FALSE(shape_of({}, 8));
}

TEST_CASE("staged: every algorithm is proved for all shapes", "[pure]") {
  for (const StagedAlgorithm& algorithm : staged_algorithms())
    for (int m = 1; m <= 6; ++m)
      for (const int q : {1, 2, 4, 8})
        for (const int root : {0, m * q / 2, m * q - 1}) {
          INFO(algorithm.collective << " by " << algorithm.name << ", m " << m << ", q " << q << ", root " << root);
          CHECK_NOTHROW(verify(staged(algorithm.collective, algorithm.name, shape(m, q), 64 * MiB, root)));
        }
}

TEST_CASE("staged: groups of one server or one rank in each have one stage", "[pure]") {
  const StagedSchedule inside = pull_ring(1, 8), between = pull_ring(8, 1), both = pull_ring(8, 8);
  REQUIRE(inside.stages.size() == 1);
  CHECK(inside.stages[0].algorithm == "pull");
  REQUIRE(between.stages.size() == 1);
  CHECK(between.stages[0].algorithm == "ring");
  CHECK(between.stages[0].where == Stage::Where::between);
  CHECK(both.stages.size() == 3);
  const StagedSchedule flat = staged("allreduce", "ring", shape(8, 8), 64 * MiB, 0);
  REQUIRE(flat.stages.size() == 1);
  CHECK(flat.stages[0].where == Stage::Where::all);
}

TEST_CASE("staged: chunks have the sizes of the rule", "[pure]") {
  const auto chunk = [](const char* algorithm, int m, int q, std::uint64_t bytes) {
    return staged("allreduce", algorithm, shape(m, q), bytes, 0).chunk;
  };
  CHECK(chunk("pull_netreduce", 8, 8, 64 * MiB) == MiB);        // a 64th
  CHECK(chunk("pull_netreduce", 8, 8, MiB) == 256 * 1024);      // the least
  CHECK(chunk("pull_netreduce", 8, 8, 1024 * MiB) == 4 * MiB);  // the most
  CHECK(chunk("pull_ring", 8, 8, 64 * MiB) == 2 * MiB);         // 64 parts of 32 KiB
  CHECK(chunk("pull_ring", 8, 8, 1000) == 1000);                // the message
  const StagedSchedule exchange = staged("alltoall", "direct", shape(64, 8), 64 * MiB, 0);
  CHECK(exchange.chunk == 2 * MiB);  // 64 messages of 32 KiB
}

TEST_CASE("staged: a large group is proved for four servers", "[pure]") {
  CHECK(proved_for_fewer_servers(shape(2048, 8)));
  CHECK_FALSE(proved_for_fewer_servers(shape(16, 8)));
  StagedSchedule s = pull_ring(2048, 8);
  CHECK_NOTHROW(verify(s));
  s.stages.pop_back();
  CHECK_THROWS_AS(verify(s), ScheduleError);
}

TEST_CASE("staged: damage is found and named", "[pure]") {
  StagedSchedule s = pull_ring(3, 4);
  SECTION("no reduction in the servers") {
    s.stages.erase(s.stages.begin());
    CHECK_THROWS_WITH(verify(s), Contains("rank 0, part 0: operand of rank 1 is missing"));
  }
  SECTION("no stage between the servers") {
    s.stages.erase(s.stages.begin() + 1);
    CHECK_THROWS_WITH(verify(s), Contains("rank 0, part 0: operand of rank 4 is missing"));
  }
  SECTION("no multicast") {
    s.stages.pop_back();
    CHECK_THROWS_WITH(verify(s), Contains("rank 0, part 3: no result"));
  }
  SECTION("the servers add twice") {
    s.stages.insert(s.stages.begin() + 1, s.stages[1]);
    s.stages[1].stream = 7;
    CHECK_THROWS_WITH(verify(s), Contains("rank 0, part 0: operand of rank 0 is added twice"));
  }
  SECTION("stages of unlike parts") {
    s.stages[0].strided = true;
    CHECK_THROWS_WITH(verify(s), Contains("is missing"));
  }
  SECTION("one stream for two stages") {
    s.stages[2].stream = s.stages[0].stream;
    CHECK_THROWS_WITH(verify(s), Contains("two stages share stream 0"));
  }
  SECTION("operands are overwritten") {
    s.stages[1].overwrites = true;
    CHECK_THROWS_WITH(verify(s), Contains("stage 1 overwrites what stage 0 reads"));
  }
  SECTION("a root that does not exist") {
    s.root = 12;
    CHECK_THROWS_WITH(verify(s), Contains("no root rank 12"));
  }
  SECTION("an unknown stage") {
    s.stages[1].collective = "sort";
    CHECK_THROWS_WITH(verify(s), Contains("no collective 'sort'"));
  }
}

TEST_CASE("staged: damage of other collectives is found", "[pure]") {
  SECTION("broadcast without its root's scatter") {
    StagedSchedule s = staged("broadcast", "pull_ring", shape(3, 4), 64 * MiB, 5);
    s.stages.erase(s.stages.begin());
    CHECK_THROWS_WITH(verify(s), Contains("no result"));
  }
  SECTION("reduce-scatter of contiguous parts") {
    StagedSchedule s = staged("reduce_scatter", "ring_ring", shape(3, 4), 64 * MiB, 0);
    for (Stage& stage : s.stages) stage.strided = false;
    CHECK_THROWS_AS(verify(s), ScheduleError);
  }
  SECTION("all-to-all between equal rails alone") {
    StagedSchedule s = staged("alltoall", "direct", shape(3, 4), 64 * MiB, 0);
    s.stages.erase(s.stages.begin());
    s.stages.push_back(s.stages[0]);
    s.stages[1].stream = 5;
    CHECK_THROWS_WITH(verify(s), Contains("rank 1, part 0: the slice of rank 0 is missing"));
  }
  SECTION("a sendrecv that ends in its server") {
    StagedSchedule s = staged("sendrecv", "direct", shape(3, 4), 64 * MiB, 0);
    s.stages.pop_back();
    CHECK_THROWS_WITH(verify(s), Contains("rank 4: the message of rank 3 is missing; it ends at rank 0"));
  }
  SECTION("all-gather without the rails") {
    StagedSchedule s = staged("allgather", "pull_ring", shape(3, 4), 64 * MiB, 0);
    s.stages.erase(s.stages.begin());
    CHECK_THROWS_WITH(verify(s), Contains("no result"));
  }
}

TEST_CASE("staged: unknown algorithms are refused with the legal ones", "[pure]") {
  CHECK_THROWS_WITH(
      staged("allreduce", "push_ring", shape(2, 8), MiB, 0),
      Contains("no algorithm 'push_ring' of allreduce in stages (legal: pull_ring, pull_tree, pull_netreduce"));
  CHECK_THROWS_WITH(staged("reduce_scatter", "pull_netreduce", shape(2, 8), MiB, 0), Contains("legal: pull_ring"));
  CHECK_THROWS_WITH(staged("gather", "pull_ring", shape(2, 8), MiB, 0),
                    "no collective 'gather' among servers (legal: allreduce, reduce_scatter, allgather, broadcast, alltoall "
                    "or sendrecv)");
}

}  // namespace tributary::test_staged_schedule
