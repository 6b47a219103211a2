/// Every kind of damage to a schedule is found and named. The example is the ring of 4.
#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/symbolic.h"

namespace tributary::test_symbolic {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

constexpr int send_of(int step) { return 3 * step; }
constexpr int receive_of(int step) { return 3 * step + 1; }
constexpr int take_of(int step) { return 3 * step + 2; }

Operation& at(Schedule& s, int rank, int id) {
  for (Operation& o : s.programs[static_cast<std::size_t>(rank)])
    if (o.id == id) return o;
  throw std::logic_error("no such operation");
}

/// Removes an operation and the dependencies on it.
void drop(Schedule& s, int rank, int id) {
  auto& program = s.programs[static_cast<std::size_t>(rank)];
  for (auto o = program.begin(); o != program.end();) o = o->id == id ? program.erase(o) : o + 1;
  for (Operation& o : program)
    for (auto d = o.deps.begin(); d != o.deps.end();) d = *d == id ? o.deps.erase(d) : d + 1;
}

}  // namespace

TEST_CASE("symbolic: missing operations are found", "[pure]") {
  Schedule s = ring_allreduce(4);
  SECTION("send") {
    drop(s, 1, send_of(2));
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 2 receive #7") && Contains("rank 1 never sends it"));
  }
  SECTION("receive") {
    drop(s, 2, receive_of(2));
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 1 send #6") && Contains("never received by rank 2"));
  }
  SECTION("reduce") {
    drop(s, 2, take_of(1));
    at(s, 2, receive_of(2)).deps = {receive_of(1)};
    CHECK_THROWS_AS(verify_allreduce(s), ScheduleError);
  }
  SECTION("last copy: a chunk keeps its value, without the others' operands") {
    drop(s, 3, take_of(5));
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("of rank 3 ends with") && Contains("0 times"));
  }
  SECTION("a dependency on nothing") {
    at(s, 0, send_of(0)).deps = {99};
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 0 send #0") && Contains("#99, which does not exist"));
  }
}

TEST_CASE("symbolic: wrong operands are found", "[pure]") {
  Schedule s = ring_allreduce(4);
  SECTION("the sender sends another chunk") {
    at(s, 1, send_of(3)).chunk ^= 1;
    CHECK_THROWS_AS(verify_allreduce(s), ScheduleError);
  }
  SECTION("the receiver uses it as another chunk") {
    at(s, 1, take_of(0)).chunk = 2;
    at(s, 1, receive_of(0)).chunk = 2;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 1 receive #1") && Contains("holds chunk 0"));
  }
  SECTION("a message is reduced twice") {
    Operation again = at(s, 1, take_of(0));
    again.id = 100;
    again.deps.push_back(take_of(0));
    s.programs[1].push_back(again);
    at(s, 1, send_of(1)).deps.push_back(100);
    at(s, 1, receive_of(1)).deps.push_back(100);
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("2 times"));
  }
  SECTION("an all-gather copy that reduces") {
    at(s, 2, take_of(4)).kind = OperationKind::reduce;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("2 times"));
  }
  SECTION("a send before the sum that it should send") {
    at(s, 2, send_of(2)).deps = {send_of(1)};
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("race for a chunk"));
  }
  SECTION("a reduce that does not wait for its message") {
    at(s, 2, take_of(0)).deps = {};
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 2 reduce #2") && Contains("does not wait"));
  }
  SECTION("a reduce that waits for another message") {
    at(s, 2, take_of(1)).deps = {receive_of(0)};
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 2 reduce #5") && Contains("does not wait"));
  }
}

TEST_CASE("symbolic: too few mailbox slots are found", "[pure]") {
  for (int p = 2; p <= 8; ++p) {
    Schedule s = ring_allreduce(p);
    s.slots = p - 1;
    for (auto& program : s.programs)
      for (Operation& o : program) o.slot = o.step % s.slots;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("may overwrite the message in its slot"));
    CHECK_THROWS_WITH(verify_allreduce(fuse(s)), Contains("may overwrite the message in its slot"));
  }
}

TEST_CASE("symbolic: a slot may carry three messages in turn", "[pure]") {
  // Rank 0 sends three times to one slot of rank 1, which answers each message with one that only signals.
  using K = OperationKind;
  Schedule s{"ping-pong", 2, 1, 1, {{}, {}}};
  for (int t = 0; t < 3; ++t) {
    const int first = 2 * t, second = first + 1;
    const std::vector<int> after = t == 0 ? std::vector<int>{} : std::vector<int>{first - 1};
    s.programs[0].push_back({K::send, first, 1, 0, 0, t, after});
    s.programs[0].push_back({K::receive, second, 1, 0, 0, t, {first}});
    s.programs[1].push_back({K::receive, first, 0, 0, 0, t, after});
    s.programs[1].push_back({K::send, second, 0, 0, 0, t, {first}});
  }
  // The only error is that it is not an all-reduce.
  CHECK_THROWS_WITH(
      verify_allreduce(s),
      Contains("chunk 0 of rank 0 ends with the operand of rank 1 0 times (legal: the operand of each rank once)"));
  s.programs[0][4].deps = {1};  // the third send no longer waits for the second answer
  CHECK_THROWS_WITH(verify_allreduce(s),
                    Contains("rank 0 send #4") && Contains("may overwrite") && Contains("rank 1 receive #2"));
}

TEST_CASE("symbolic: two simultaneous reductions into one chunk are found", "[pure]") {
  using K = OperationKind;
  Schedule s{"star", 3, 1, 1, {}};
  s.programs.push_back({{K::receive, 0, 1, 0, 0, 0, {}},
                        {K::reduce, 1, 1, 0, 0, 0, {0}},
                        {K::receive, 2, 2, 0, 0, 0, {}},
                        {K::reduce, 3, 2, 0, 0, 0, {2, 1}}});
  for (int r = 1; r <= 2; ++r) s.programs.push_back({{K::send, 0, 0, 0, 0, 0, {}}});
  CHECK_THROWS_WITH(verify_allreduce(s), Contains("chunk 0 of rank 1 ends with"));  // the sum stays at rank 0
  s.programs[0][3].deps = {2};
  CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 0 reduce #") && Contains("race for a chunk"));
}

TEST_CASE("symbolic: a receive that may count the previous message is found", "[pure]") {
  Schedule s = ring_allreduce(4);
  at(s, 0, receive_of(4)).deps = {};  // same slot as step 0
  CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 0 receive #13") && Contains("may accept the previous message"));
}

TEST_CASE("symbolic: cyclic waits are found", "[pure]") {
  Schedule s = ring_allreduce(3);
  SECTION("every rank receives before it sends") {
    for (int r = 0; r < 3; ++r) at(s, r, send_of(0)).deps = {receive_of(0)};
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("deadlock: ") && Contains("rank 0 send #0") &&
                                               Contains("waits for rank 2 send #0") && Contains("rank 1 receive #1"));
  }
  SECTION("within one rank") {
    at(s, 1, receive_of(0)).deps = {take_of(0)};
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 1 receive #1") && Contains("waits for rank 1 reduce #2"));
    CHECK_THROWS_WITH(fuse(s), Contains("rank 1") && Contains("never end"));
  }
}

TEST_CASE("symbolic: malformed schedules are rejected", "[pure]") {
  Schedule s = ring_allreduce(3);
  SECTION("peer") {
    at(s, 1, send_of(0)).peer = 3;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("there is no rank 3; legal: 0 to 2"));
  }
  SECTION("self") {
    at(s, 1, send_of(0)).peer = 1;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("no mailbox for itself"));
  }
  SECTION("slot") {
    at(s, 1, send_of(0)).slot = 3;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("there is no slot 3"));
  }
  SECTION("chunk") {
    at(s, 1, send_of(0)).chunk = -1;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("there is no chunk -1"));
  }
  SECTION("id") {
    at(s, 1, send_of(1)).id = 0;
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("same id"));
  }
  SECTION("the same message twice") {
    Operation again = at(s, 1, send_of(0));
    again.id = 100;
    s.programs[1].push_back(again);
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("rank 1 send #100") && Contains("same message"));
  }
  SECTION("a program for each rank") {
    s.programs.pop_back();
    CHECK_THROWS_WITH(verify_allreduce(s), Contains("2 programs for 3 ranks"));
  }
}

}  // namespace tributary::test_symbolic
