// Errors on a link, calculated by hand: 25 GB/s (a flit in 640 ps, a packet in 5760), 20 ns of wire. A packet that starts
// at t arrives at t + 25 760; its ack or nack, of one flit, returns 20 640 later, at t + 46 400.
#include <catch2/catch.hpp>

#include "testbench/test/harness/faulty_link_bench.h"

namespace tributary::test_link_retransmission {
namespace {

using Bench = FaultyLinkBench;
using Ticks = std::vector<Tick>;

/// Returns `n` back-to-back starts from `first` on.
Ticks back_to_back(Tick first, unsigned n) {
  Ticks t;
  for (unsigned i = 0; i < n; ++i) t.push_back(first + i * Tick{5760});
  return t;
}
Ticks joined(Ticks a, const Ticks& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("a corrupted packet is sent again when its nack has returned", "[pure][link][llr]") {
  Bench b(link_faults({0}));
  b.push(0, 1000);
  CHECK(b.run(1000) == 1000 + 46'400);
  CHECK_FALSE(b.tx.empty());
  CHECK(b.tx.waiting() == "vc0: 0 packets queued, 9 of 10000 credits held, 1 packets not delivered yet");
  CHECK(b.run(1'000'000) == never);
  REQUIRE(b.delivered.size() == 1);
  CHECK(b.delivered[0].start == 47'400);
  CHECK(b.delivered[0].tail == 47'400 + 25'760);
  CHECK(b.counts() == Numbers{1, 1, 0});
  CHECK(b.tx.empty());
  b.tx.credit(0, 9, 200'000);
  CHECK(b.tx.quiescent());
  CHECK(b.tx.traffic().bytes == 18 * NvLink::flit_bytes);
  CHECK(b.tx.traffic().packets == 1);
}

TEST_CASE("all packets sent before the nack arrived are sent again, in order", "[pure][link][llr]") {
  Bench first(link_faults({0}));
  first.push_many(20);
  first.run(10'000'000);
  // Packets 0 to 8 start before 46 400; the wire is free at 51 840.
  CHECK(first.starts() == back_to_back(51'840, 20));
  CHECK(first.counts() == Numbers{1, 9, 0});
  CHECK(first.tx.traffic().bytes == 29 * 9 * NvLink::flit_bytes);
  Bench third(link_faults({2}));
  third.push_many(20);
  third.run(10'000'000);
  // Its nack returns at 57 920: packets 2 to 10 are sent twice.
  CHECK(third.starts() == joined({0, 5760}, back_to_back(63'360, 18)));
  CHECK(third.counts() == Numbers{1, 9, 0});
  CHECK((first.once_and_in_order() && third.once_and_in_order()));
}

TEST_CASE("a nack for a packet sent before the sender went back is ignored", "[pure][link][llr]") {
  Bench b(link_faults({0, 3}));
  b.push_many(12);
  b.run(10'000'000);
  // Packet 3 was dropped after packet 0 anyway: one replay repairs both.
  CHECK(b.starts() == back_to_back(51'840, 12));
  CHECK(b.counts() == Numbers{2, 9, 0});
}

TEST_CASE("a duplicate occupies the wire and is dropped", "[pure][link][llr]") {
  Bench b(link_faults({}, {1}));
  b.push_many(4);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0, 5760, 17'280, 23'040});
  CHECK(b.counts() == Numbers{0, 0, 1});
  CHECK(b.tx.traffic().bytes == 45 * NvLink::flit_bytes);
  CHECK(b.once_and_in_order());
}

TEST_CASE("a duplicate replaces a corrupted packet, and the replay is then dropped", "[pure][link][llr]") {
  Bench b(link_faults({1}, {1}));
  b.push_many(3);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0, 11'520, 17'280});
  // The nack of 52 160 requests packets 1 and 2 again; their acks arrive at 57 920 and 63 680.
  CHECK(b.counts() == Numbers{1, 2, 2});
  CHECK(b.tx.traffic().bytes == 6 * 9 * NvLink::flit_bytes);
  CHECK(b.once_and_in_order());
  CHECK(b.pool.live() == 0);
}

TEST_CASE("packets acknowledged while the replay waits for the wire are not sent again", "[pure][link][llr]") {
  // Requests of one flit: the nack of the first returns at 41 280, during a full packet that leaves by 45 760. The
  // duplicate has delivered both requests, whose acks have returned by then: only the full packet is sent again,
  // unnecessarily.
  Bench b(link_faults({0}, {0}));
  b.push(0, 0, 0);
  b.push(0, 0, 0);
  b.push(0, 40'000);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{640, 1280, 40'000});
  CHECK(b.counts() == Numbers{1, 1, 1});
  CHECK(b.once_and_in_order());
}

TEST_CASE("a full replay buffer stalls the sender until an ack returns", "[pure][link][llr]") {
  Bench b(link_faults({}, {}, 18));
  b.push_many(4);
  CHECK(b.run(11'520) == 46'400);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0, 5760, 46'400, 52'160});
  CHECK(b.once_and_in_order());
  CHECK_THROWS_AS(Bench(link_faults({}, {}, 8)), std::invalid_argument);
}

TEST_CASE("the automatic replay buffer of 81 flits covers the round trip of full packets, and one flit less stalls",
          "[pure][link][llr]") {
  CHECK(replay_flits(LinkParams{}, {NvLink::flit_bytes, NvLink::max_packet_flits}) == 82);
  const auto finish = [](unsigned flits) {
    Bench b(link_faults({}, {}, flits));
    b.push_many(100);
    b.run(10'000'000);
    return b.delivered.back().start;
  };
  CHECK(finish(82) == 99 * 5760);
  CHECK(finish(81) == 99 * 5760);
  CHECK(finish(80) > 99 * 5760);
}

TEST_CASE("both VCs share one sequence, and credits are spent once", "[pure][link][llr]") {
  Bench b(link_faults({1}), 18);
  for (unsigned i = 0; i < 2; ++i) b.push(0, 0), b.push(1, 0);
  b.run(10'000'000);
  std::vector<unsigned> vcs;
  for (const Delivery& d : b.delivered) vcs.push_back(d.vc);
  CHECK(vcs == std::vector<unsigned>{0, 1, 0, 1});
  CHECK(b.starts() == joined({0}, back_to_back(52'160, 3)));
  CHECK(b.tx.waiting() == "vc0: 0 packets queued, 18 of 18 credits held, vc1: 0 packets queued, 18 of 18 credits held");
  for (unsigned vc = 0; vc < 2; ++vc) b.tx.credit(vc, 18, 100'000);
  CHECK(b.tx.quiescent());
}

TEST_CASE("a dead link loses packets that have not arrived, and sends nothing more", "[pure][link][llr]") {
  LinkRetransmission::Config c = link_faults({});
  c.dead_after = 30'000;
  Bench b(c);
  b.push_many(10);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0});                              // the second packet would arrive at 31 520
  CHECK(b.tx.traffic().bytes == 6 * 9 * NvLink::flit_bytes);  // 0 to 28 800
  CHECK_FALSE(b.tx.quiescent());
  CHECK(b.tx.waiting() == "vc0: 4 packets queued, 54 of 10000 credits held, 5 packets not delivered yet");
  b.tx.reset();
  CHECK((b.tx.quiescent() && b.tx.empty() && b.tx.waiting().empty()));
  CHECK(b.pool.live() == 0);
}

TEST_CASE("reset restores all scripted faults", "[pure][link][llr]") {
  Bench b(link_faults({1}, {2}));
  b.push_many(5);
  b.run(10'000'000);
  const std::vector<Delivery> before = b.delivered;
  const Numbers once = b.counts();
  b.tx.reset();
  b.delivered.clear();
  b.pushed = 0;
  b.push_many(5);
  b.run(10'000'000);
  CHECK(b.delivered == before);
  for (std::size_t i = 0; i < 3; ++i) CHECK(b.counts()[i] == 2 * once[i]);
  CHECK(once[0] == 1);
  b.tx.reset();
  b.push_many(5);
  b.run(20'000);  // a nack is in flight
  CHECK_FALSE(b.tx.quiescent());
  b.tx.reset();
  CHECK((b.tx.quiescent() && b.run(10'000'000) == never));
  CHECK(b.pool.live() == 0);
}

}  // namespace tributary::test_link_retransmission
