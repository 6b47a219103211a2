/// The proof of large schedules, chunk by chunk in the order of steps: it finds damaged schedules, and never accepts one
/// that the whole proof rejects.
#include <algorithm>
#include <catch2/catch.hpp>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/collective/schedule/without_empty_chunks.h"

namespace tributary::test_stepwise_proof {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

/// An all-reduce on a 4x4 torus.
Schedule of_torus(const std::string& algorithm) {
  return network_schedule(topology::network("torus:4x4"), {"allreduce", algorithm, {}}).schedule;
}

}  // namespace

TEST_CASE("stepwise proof: damaged schedules are found", "[pure]") {
  const Schedule good = of_torus("multitree");
  const auto spoiled = [&](auto change) {
    Schedule s = good;
    change(s.programs[3]);
    verify_by_chunk(s);
  };
  using Program = std::vector<Operation>;
  const auto first = [](Program& p, OperationKind kind) {
    return std::find_if(p.begin(), p.end(), [=](const Operation& o) { return o.kind == kind; });
  };
  CHECK_THROWS_AS(spoiled([&](Program& p) { first(p, OperationKind::reduce)->kind = OperationKind::copy; }), ScheduleError);
  CHECK_THROWS_AS(spoiled([&](Program& p) { first(p, OperationKind::send)->step += 1; }), ScheduleError);
  CHECK_THROWS_AS(spoiled([&](Program& p) { first(p, OperationKind::copy)->chunk ^= 1; }), ScheduleError);
  CHECK_THROWS_AS(spoiled([&](Program& p) { p.back().deps.clear(); }), ScheduleError);
  CHECK_THROWS_WITH(spoiled([&](Program& p) { p.front().deps = {1}; }),
                    Contains("does not precede it in the order of steps"));
  CHECK_THROWS_WITH(spoiled([&](Program& p) { p.front().id = 7; }), Contains("the ids of a rank must be 0, 1, 2"));
  CHECK_THROWS_WITH(spoiled([&](Program& p) { p.front().chunk = 16; }), Contains("no such chunk"));
}

TEST_CASE("stepwise proof: a wait for a later step is rejected", "[pure]") {
  // Rank 0 sends in step 2 the data that rank 1 needs before it sends, in step 1, the data that rank 0 waits for: a
  // deadlock.
  Schedule s{"loop", 2, 2, 4, {{}, {}}, {{0, 1}, {1, 0}}};
  s.programs[0] = {{OperationKind::receive, 0, 1, 1, 1, 1, {}},
                   {OperationKind::copy, 1, 1, 1, 1, 1, {0}},
                   {OperationKind::send, 2, 1, 0, 0, 2, {1}}};
  s.programs[1] = {{OperationKind::receive, 0, 0, 0, 0, 2, {}},
                   {OperationKind::copy, 1, 0, 0, 0, 2, {0}},
                   {OperationKind::send, 2, 0, 1, 1, 1, {1}}};
  CHECK_THROWS_WITH(verify(s), Contains("deadlock"));
  CHECK_THROWS_WITH(verify_by_chunk(s), Contains("does not precede it in the order of steps"));
  s.programs[1][2].deps.clear();
  CHECK_NOTHROW(verify(s));
  CHECK_NOTHROW(verify_by_chunk(s));
}

// An all-to-all of 1000 B among 256 NICs has empty chunks, and too many operations for the whole proof.
TEST_CASE("stepwise proof: schedules without their empty chunks are proved", "[pure]") {
  const topology::Network torus = topology::network("torus:4x4");
  for (const char* collective : {"allreduce", "reduce_scatter", "allgather", "alltoall"}) {
    INFO(collective);
    const Schedule whole = network_schedule(torus, {collective, "multitree", {}}).schedule;
    std::vector<bool> empty(static_cast<std::size_t>(whole.chunks), false);
    for (std::size_t c = 0; c < empty.size(); c += 3) empty[c] = true;
    if (!whole.goals.empty()) CHECK_NOTHROW(verify_by_chunk(without_chunks(whole, empty)));
    CHECK_NOTHROW(verify_by_chunk(without_empty_chunks(whole, 5 * 128)));
  }
}

TEST_CASE("stepwise proof: an operand that is added twice is found", "[pure]") {
  Schedule s{"twice", 2, 1, 2, {{}, {}}, {{every_rank, 0}}};
  s.programs[0] = {{OperationKind::receive, 0, 1, 0, 0, 1, {}},
                   {OperationKind::reduce, 1, 1, 0, 0, 1, {0}},
                   {OperationKind::receive, 2, 1, 0, 1, 2, {1}},
                   {OperationKind::reduce, 3, 1, 0, 1, 2, {2}}};
  s.programs[1] = {{OperationKind::send, 0, 0, 0, 0, 1, {}}, {OperationKind::send, 1, 0, 0, 1, 2, {0}}};
  CHECK_THROWS_WITH(verify_by_chunk(s), Contains("the operand of rank 1 2 times"));
  s.programs[0].resize(2);
  s.programs[1].resize(1);
  CHECK_NOTHROW(verify_by_chunk(s));
}

TEST_CASE("stepwise proof: a slot may be reused once its sender knows that it is free", "[pure]") {
  CHECK_NOTHROW(verify_by_chunk(of_torus("ring")));  // 30 steps, 16 slots
  // Two messages from rank 0 to rank 1 through one slot, with or without an answer in between.
  const auto twice = [](bool answered) {
    Schedule s{"twice", 2, 1, 2, {{}, {}}, {{every_rank, 1}}};
    s.programs[0] = {{OperationKind::send, 0, 1, 0, 0, 1, {}},
                     {OperationKind::receive, 1, 1, 0, 1, 2, {}},
                     {OperationKind::copy, 2, 1, 0, 1, 2, {0, 1}},
                     {OperationKind::send, 3, 1, 0, 0, 3, {2}}};
    s.programs[1] = {{OperationKind::receive, 0, 0, 0, 0, 1, {}},
                     {OperationKind::reduce, 1, 0, 0, 0, 1, {0}},
                     {OperationKind::send, 2, 0, 0, 1, 2, {1}},
                     {OperationKind::receive, 3, 0, 0, 0, 3, {1}},
                     {OperationKind::copy, 4, 0, 0, 0, 3, {2, 3}}};
    if (!answered) {
      s.programs[0] = {{OperationKind::send, 0, 1, 0, 0, 1, {}}, {OperationKind::send, 1, 1, 0, 0, 3, {0}}};
      s.programs[1] = {{OperationKind::receive, 0, 0, 0, 0, 1, {}},
                       {OperationKind::copy, 1, 0, 0, 0, 1, {0}},
                       {OperationKind::receive, 2, 0, 0, 0, 3, {1}},
                       {OperationKind::copy, 3, 0, 0, 0, 3, {2}}};
      s.goals = {{0, 1}};
    }
    return s;
  };
  CHECK_NOTHROW(verify(twice(true)));
  CHECK_NOTHROW(verify_by_chunk(twice(true)));
  CHECK_THROWS_WITH(verify_by_chunk(twice(false)), Contains("may overwrite the message in its slot"));
  Schedule early = twice(true);  // checks for the second message while the first may be there
  early.programs[1][3].deps.clear();
  CHECK_THROWS_WITH(verify_by_chunk(early), Contains("has not read"));
}

TEST_CASE("stepwise proof: proofs by chunk and as a whole agree on rings of many sizes, intact and damaged", "[pure]") {
  for (const int p : {2, 3, 5, 8, 13}) {
    const Schedule ring = ring_allreduce(p);
    CHECK_NOTHROW(verify_by_chunk(ring));
    for (int r = 0; r < p; ++r)
      for (std::size_t i = 0; i < ring.programs[static_cast<std::size_t>(r)].size(); i += 5)
        for (const int slots : {0, 1}) {  // a missing wait, or another slot
          Schedule s = ring;
          Operation& o = s.programs[static_cast<std::size_t>(r)][i];
          slots != 0 ? void(o.slot = (o.slot + 1) % p) : o.deps.clear();
          const auto right = [&](auto prove) {
            try {
              return prove(s), true;
            } catch (const ScheduleError&) {
              return false;
            }
          };
          // The proof by chunk requires more: it may reject a correct schedule, but never accept a wrong one.
          INFO(p << " ranks, rank " << r << ", operation " << i);
          if (right([](const Schedule& x) { verify_by_chunk(x); })) CHECK_NOTHROW(verify(s));
        }
  }
}

TEST_CASE("stepwise proof: a chunk may be overwritten once messages confirm that it has been sent, and not before",
          "[pure]") {
  // Rank 0 sends its operand to rank 2 and takes a chunk from rank 1, which has received a message from rank 2, or from no
  // rank.
  const auto overwritten = [](bool heard) {
    Schedule s{"over", 3, 1, 2, {{}, {}, {}}, {{every_rank, 2}}};
    s.programs[0] = {{OperationKind::send, 0, 2, 0, 0, 1, {}},
                     {OperationKind::receive, 1, 1, 0, 0, 4, {}},
                     {OperationKind::copy, 2, 1, 0, 0, 4, {1}}};
    s.programs[1] = {{OperationKind::send, 0, 2, 0, 0, 2, {}},
                     {OperationKind::receive, 1, 2, 0, 1, 3, {}},
                     {OperationKind::copy, 2, 2, 0, 1, 3, {0, 1}},
                     {OperationKind::send, 3, 0, 0, 0, 4, heard ? std::vector<int>{2} : std::vector<int>{}}};
    s.programs[2] = {{OperationKind::receive, 0, 0, 0, 0, 1, {}},
                     {OperationKind::reduce, 1, 0, 0, 0, 1, {0}},
                     {OperationKind::receive, 2, 1, 0, 0, 2, {}},
                     {OperationKind::reduce, 3, 1, 0, 0, 2, {1, 2}},
                     {OperationKind::send, 4, 1, 0, 1, 3, {3}}};
    if (!heard) s.programs[1].erase(s.programs[1].begin() + 1, s.programs[1].begin() + 3), s.programs[1][1].id = 1;
    if (!heard) s.programs[2].pop_back();
    return s;
  };
  CHECK_NOTHROW(verify(overwritten(true)));
  CHECK_NOTHROW(verify_by_chunk(overwritten(true)));
  CHECK_THROWS_WITH(verify_by_chunk(overwritten(false)), Contains("race for a chunk"));
}

}  // namespace tributary::test_stepwise_proof
