/// Tests RouterCore alone: cut-through, ejection, credits, arbitration.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "testbench/test/harness/router_bench.h"

namespace tributary::test_router_core {

TEST_CASE("router: a packet is forwarded by cut-through", "[pure][router]") {
  RouterBench b;
  b.arrive(0, b.packet(2, 0, 17, 1), 1000 * ns);
  b.run();
  REQUIRE(b.sent.size() == 1);
  CHECK(b.sent[0].port == 1);
  CHECK(b.sent[0].head == (1000 + 3 + 1 + 150) * ns);  // pipeline, head flit, wire
  // its first flit leaves the buffer after one cycle, followed by the others
  REQUIRE(b.credits.size() == 1);
  CHECK(b.credits[0] == std::pair(0u, Tick{1004 * ns}));
}

TEST_CASE("router: credits of whole packets wait for the tail", "[pure][router]") {
  RouterBench b(318, false);
  b.arrive(0, b.packet(2, 0, 17, 1), 1000 * ns);
  b.run();
  REQUIRE(b.credits.size() == 1);
  CHECK(b.credits[0].second == (1003 + 17) * ns);
}

// Four packets go to port 2: one fills the far buffer and two the output; the fourth waits at its input.
TEST_CASE("router: with output queues no packet waits for one to another output", "[pure][router]") {
  for (const bool output_queues : {false, true}) {
    INFO((output_queues ? "output queues" : "FIFOs"));
    RouterBench b(17, true, 3, {}, {}, output_queues);
    for (unsigned i = 0; i < 4; ++i) b.arrive(0, b.packet(3, 0, 17, static_cast<std::uint16_t>(i)), (1000 + 17 * i) * ns);
    b.arrive(0, b.packet(2, 0, 17, 9), 1068 * ns);
    b.arrive(0, b.packet(2, 0, 17, 10), 1085 * ns);
    b.run();
    const auto passed = std::any_of(b.sent.begin(), b.sent.end(), [](const RouterBench::Sent& s) { return s.tag == 9; });
    CHECK(passed == output_queues);
    CHECK(b.sent.size() == (output_queues ? 2 : 1));
    for (Tick when = 1; when < 6; ++when) {
      b.give_back(2, 0, 17, (1000 + when) * 1000 * ns);
      b.give_back(1, 0, 17, (1000 + when) * 1000 * ns);
      b.run((2000 + when) * 1000 * ns);
    }
    std::vector<std::uint16_t> to_2, to_1;
    for (const RouterBench::Sent& s : b.sent) (s.port == 2 ? to_2 : to_1).push_back(s.tag);
    CHECK(to_2 == std::vector<std::uint16_t>{0, 1, 2, 3});  // in order
    CHECK(to_1 == std::vector<std::uint16_t>{9, 10});
  }
}

TEST_CASE("router: inputs eject in parallel", "[pure][router]") {
  RouterBench b;
  b.arrive(0, b.packet(0, 0, 17, 1), 1000 * ns);
  b.arrive(1, b.packet(0, 0, 17, 2), 1000 * ns);
  b.run();
  REQUIRE(b.ejected.size() == 2);
  CHECK(b.ejected[0].second == 1020 * ns);
  CHECK(b.ejected[1].second == 1020 * ns);
}

// A dateline may have moved a message of lane 0 to VC 1: at its destination it does not block the one on VC 0.
TEST_CASE("router: messages of one input eject in parallel", "[pure][router]") {
  RouterBench b;
  Packet* const head = b.packet(0, 0, 17, 1, false);
  Packet* const tail = b.packet(0, 0, 16, 1, true);
  head->vc = tail->vc = 1;
  b.arrive(0, head, 1000 * ns);
  b.arrive(0, b.packet(0, 0, 17, 2), 1017 * ns);
  b.arrive(0, tail, 5000 * ns);
  b.run();
  REQUIRE(b.ejected.size() == 3);
  CHECK(b.ejected[0].second == (1000 + 3 + 17) * ns);
  CHECK(b.ejected[1].second == (1017 + 3 + 17) * ns);
  CHECK(b.ejected[2].second == (5000 + 3 + 16) * ns);
}

TEST_CASE("router: a VC sends no more than the far buffer holds", "[pure][router]") {
  RouterBench b(40);  // two packets of 17 flits
  for (unsigned i = 0; i < 5; ++i) b.arrive(0, b.packet(2, 0, 17, static_cast<std::uint16_t>(i)), (1000 + 17 * i) * ns);
  b.run();
  CHECK(b.sent.size() == 2);
  const LinkCredit back{0, 0, 17};
  b.core->credit(1, 2'000'000 * ns, &back, 1);
  b.run(3'000'000 * ns);
  REQUIRE(b.sent.size() == 3);
  CHECK(b.sent[2].head == (2'000'000 + 1 + 150) * ns);
}

TEST_CASE("router: a message keeps its VC up to its tail, and short packets pass on another VC", "[pure][router]") {
  RouterBench b;
  // a message of three sub-packets arrives by port 0 with a gap; another message for the same VC, and a short packet,
  // arrive by the interface
  b.arrive(0, b.packet(2, 0, 17, 1, false), 1000 * ns);
  b.arrive(0, b.packet(2, 0, 16, 1, false), 1100 * ns);
  b.arrive(0, b.packet(2, 0, 16, 1, true), 1200 * ns);
  b.core->inject(0, b.packet(2, 0, 17, 2), 1010 * ns);
  b.core->inject(0, b.packet(2, 2, 2, 3), 1050 * ns);
  b.run();
  std::vector<std::uint16_t> order;
  for (const RouterBench::Sent& s : b.sent) order.push_back(s.tag);
  CHECK(order == std::vector<std::uint16_t>{1, 3, 1, 1, 2});
  CHECK(b.sent[1].vc == 2);
}

TEST_CASE("router: competing inputs share an output in round robin", "[pure][router]") {
  RouterBench b;
  for (unsigned i = 0; i < 6; ++i) {
    b.arrive(0, b.packet(2, 0, 17, 1), (1000 + 17 * i) * ns);
    b.core->inject(0, b.packet(2, 1, 17, 2), 1000 * ns);
  }
  b.run();
  REQUIRE(b.sent.size() == 12);
  for (unsigned i = 1; i < 12; ++i) CHECK(b.sent[i].tag != b.sent[i - 1].tag);
}

// Credits return for one packet at a time, to the two VCs in turn, so that one VC has room for one packet at a time: two
// inputs share VC 0 exactly, and one has VC 1.
TEST_CASE("router: under back-pressure every input gets its share", "[pure][router]") {
  RouterBench b(34, true, 4);
  constexpr unsigned rounds = 20;
  for (std::uint16_t input = 0; input < 3; ++input)
    for (unsigned i = 0; i < rounds + 4; ++i) b.arrive(input, b.packet(4, input == 2 ? 1 : 0, 17, input), 1000 * ns);
  b.run(10'000 * ns);
  CHECK(b.sent.size() == 4);  // the far buffer holds two packets of each VC
  Tick now = 10'000 * ns;
  for (unsigned i = 0; i < 2 * rounds; ++i) {
    b.give_back(3, i % 2, 17, now + 1 * ns);
    b.run(now += 100 * ns);
  }
  CHECK(b.tags(1) == std::vector<std::uint16_t>(2 + rounds, 2));
  const std::vector<std::uint16_t> shared = b.tags(0);
  REQUIRE(shared.size() == 2 + rounds);
  for (std::size_t i = 0; i < shared.size(); ++i) CHECK(shared[i] == i % 2);
}

// Credits return for a small packet at a time, so that a small one always fits before a large one.
TEST_CASE("router: small packets do not starve a large one", "[pure][router]") {
  RouterBench b(34, true, 4);
  for (unsigned i = 0; i < 40; ++i) b.arrive(0, b.packet(4, 0, 2, 0), 1000 * ns);
  for (unsigned i = 0; i < 20; ++i) b.arrive(1, b.packet(4, 0, 17, 1), 1000 * ns);
  b.run(10'000 * ns);
  Tick now = 10'000 * ns;
  for (unsigned i = 0; i < 80; ++i) {
    b.give_back(3, 0, 2, now + 1 * ns);
    b.run(now += 100 * ns);
  }
  const std::vector<std::uint16_t> order = b.tags(0);
  CHECK(order.size() == 2 * ((34 + 80 * 2) / 19) + 1);  // 19 flits for one of each, 4 remain
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i % 2);
}

// The turn of the other message comes after the tail of the first: until then it has none to hold.
TEST_CASE("router: under back-pressure, arbitration is between whole messages", "[pure][router]") {
  RouterBench b(34, true, 4);
  constexpr unsigned rounds = 24;
  for (unsigned i = 0; i < rounds / 2 + 6; ++i)
    for (std::uint16_t input = 0; input < 2; ++input) b.arrive(input, b.packet(4, 0, 17, input, i % 3 == 2), 1000 * ns);
  for (unsigned i = 0; i < rounds + 4; ++i) b.arrive(2, b.packet(4, 1, 17, 2), 1000 * ns);
  b.run(10'000 * ns);
  Tick now = 10'000 * ns;
  for (unsigned i = 0; i < 2 * rounds; ++i) {
    b.give_back(3, i % 2, 17, now + 1 * ns);
    b.run(now += 100 * ns);
  }
  CHECK(b.tags(1).size() == 2 + rounds);
  const std::vector<std::uint16_t> shared = b.tags(0);
  REQUIRE(shared.size() == 2 + rounds);
  for (std::size_t i = 0; i < shared.size(); ++i) CHECK(shared[i] == i / 3 % 2);
}

TEST_CASE("router: waiting() uses the names of the ports", "[pure][router]") {
  RouterBench b(34, true, 2, {"port1", "port3"});
  for (std::uint16_t i = 0; i < 5; ++i) b.arrive(0, b.packet(2, 0, 17, i), 1000 * ns);
  b.run();
  // two packets are in the far buffer, and two in the queue of the link
  const std::vector<std::string> lines = b.core->waiting();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "port1.vc0: 1 packets, the first for port3");
  CHECK(lines[1].rfind("port3.link: ", 0) == 0);
  CHECK_THROWS_WITH(RouterBench(34, true, 2, {"port1"}), "a router of 2 links has names for 1");
}

}  // namespace tributary::test_router_core
