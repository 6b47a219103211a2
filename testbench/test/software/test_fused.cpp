#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/symbolic.h"

namespace tributary::test_fused {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

Operation op(OperationKind kind, int id, int peer, int step, std::vector<int> deps) {
  return {kind, id, peer, 0, 0, step, std::move(deps)};
}

/// Ranks 1 and 2 send to rank 0, which sends the sum back to both.
Schedule star() {
  using K = OperationKind;
  Schedule s{"star", 3, 1, 1, {}};
  s.programs.push_back({op(K::receive, 0, 1, 0, {}), op(K::reduce, 1, 1, 0, {0}), op(K::receive, 2, 2, 0, {}),
                        op(K::reduce, 3, 2, 0, {1, 2}), op(K::send, 4, 1, 1, {3}), op(K::send, 5, 2, 1, {3})});
  for (int r = 1; r <= 2; ++r)
    s.programs.push_back({op(K::send, 0, 0, 0, {}), op(K::receive, 1, 0, 1, {}), op(K::copy, 2, 0, 1, {1})});
  return s;
}

}  // namespace

TEST_CASE("fused: a sum that is sent twice is stored once", "[pure]") {
  const Schedule s = star();
  verify_allreduce(s);
  const FusedProgram program = fuse(s);
  verify_allreduce(program);

  const auto& root = program.steps[0];
  REQUIRE(root.size() == 3);
  CHECK(root[0].reduce);
  CHECK(root[0].store_local);  // the next reduce reads it
  CHECK_FALSE(root[0].send);
  CHECK(root[1].reduce);
  CHECK(root[1].store_local);
  CHECK(root[1].send == MailboxSlot{1, 0, 1});
  CHECK_FALSE(root[2].receive);  // the second copy is read from the own chunk
  CHECK(root[2].send == MailboxSlot{2, 0, 1});

  REQUIRE(program.steps[1].size() == 2);
  CHECK_FALSE(program.steps[1][0].store_local);
  CHECK(program.steps[1][1].store_local);
}

TEST_CASE("fused: a send that must wait for another is not merged", "[pure]") {
  Schedule s = star();
  s.programs[0][4].deps = {3, 5};  // rank 2 first
  verify_allreduce(s);
  const FusedProgram program = fuse(s);
  verify_allreduce(program);
  REQUIRE(program.steps[0].size() == 3);
  CHECK(program.steps[0][1].send == MailboxSlot{2, 0, 1});
  CHECK(program.steps[0][2].send == MailboxSlot{1, 0, 1});
}

TEST_CASE("fused: a send of another chunk is not merged", "[pure]") {
  // Two ranks exchange both chunks; the send of chunk 1 waits for the sum of chunk 0.
  using K = OperationKind;
  Schedule s{"exchange", 2, 2, 2, {}};
  for (int other : {1, 0})
    s.programs.push_back({{K::send, 0, other, 0, 0, 0, {}},
                          {K::receive, 1, other, 0, 0, 0, {}},
                          {K::reduce, 2, other, 0, 0, 0, {0, 1}},
                          {K::send, 3, other, 1, 1, 0, {2}},
                          {K::receive, 4, other, 1, 1, 0, {2}},
                          {K::reduce, 5, other, 1, 1, 0, {3, 4}}});
  verify_allreduce(s);
  const FusedProgram program = fuse(s);
  verify_allreduce(program);
  REQUIRE(program.steps[0].size() == 4);
  CHECK_FALSE(program.steps[0][1].send);
  CHECK(program.steps[0][2].send);
}

TEST_CASE("fused: a message that only signals is awaited, but not stored", "[pure]") {
  using K = OperationKind;
  Schedule s = star();  // rank 1 signals rank 2 that it is done
  s.programs[1].push_back({K::send, 3, 2, 0, 0, 0, {2}});
  s.programs[2].push_back({K::receive, 3, 1, 0, 0, 0, {2}});
  verify_allreduce(s);
  const FusedProgram program = fuse(s);
  verify_allreduce(program);
  const FusedStep& last = program.steps[2].back();
  CHECK(last.receive == MailboxSlot{1, 0, 0});
  CHECK_FALSE(last.store_local);
  CHECK_FALSE(last.reduce);
}

TEST_CASE("fused: the prover finds errors that fusing could introduce", "[pure]") {
  FusedProgram program = fuse(ring_allreduce(4));
  SECTION("a sum that is not stored") {
    program.steps[2][3].store_local = false;
    CHECK_THROWS_WITH(verify_allreduce(program), Contains("chunk 3 of rank 2 ends with"));
  }
  SECTION("steps in another order wait for each other") {
    for (auto& steps : program.steps) std::swap(steps[0], steps[1]);
    CHECK_THROWS_WITH(verify_allreduce(program), Contains("deadlock"));
  }
  SECTION("a lost send") {
    program.steps[1][2].send.reset();
    CHECK_THROWS_WITH(verify_allreduce(program), Contains("rank 1 never sends it"));
  }
  SECTION("a missing reduce") {
    program.steps[1][2].reduce = false;
    CHECK_THROWS_WITH(verify_allreduce(program), Contains("0 times"));
  }
  SECTION("a reduce without a message") {
    program.steps[1][0].reduce = true;
    CHECK_THROWS_WITH(verify_allreduce(program), Contains("only a step that receives"));
  }
}

}  // namespace tributary::test_fused
