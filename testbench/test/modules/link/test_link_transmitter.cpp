// Tests the sending end of a link: 25 GB/s (a flit in 640 ps), 20 ns of wire, credits of the far buffer.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "modules/base/random.h"
#include "modules/link/core/nvlink_links.h"

namespace tributary::test_link_transmitter {
namespace {

struct Departure {
  unsigned vc;
  Tick start, tail;
  std::uint16_t flits;
};

class Bench {
 public:
  explicit Bench(unsigned credits = 100, unsigned queue = 0) : tx(NvLinkTransmitter::Config{LinkParams{}, credits, queue}) {}

  void push(unsigned vc, Tick ready, unsigned payload = 128, Tick tail = 0) {
    Packet* p = pool.make(payload, false);
    p->vc = static_cast<std::uint8_t>(vc);
    tx.push(p, vc, flits_of<NvLink>(*p), ready, std::max(ready, tail));
  }
  Tick run(Tick horizon) {
    return tx.run_until(horizon, [&](const NvLinkTransmitter::Sent& s) {
      sent.push_back({s.packet->vc, s.head - 20'640, s.tail, flits_of<NvLink>(*s.packet)});
      s.packet->release();
      if (after_send) after_send(sent.back());
    });
  }
  std::vector<Tick> starts() const {
    std::vector<Tick> t;
    for (const Departure& d : sent) t.push_back(d.start);
    return t;
  }
  std::vector<unsigned> vcs() const {
    std::vector<unsigned> v;
    for (const Departure& d : sent) v.push_back(d.vc);
    return v;
  }
  PacketPool pool{NvLink{}};
  NvLinkTransmitter tx;
  std::vector<Departure> sent;
  std::function<void(const Departure&)> after_send;
};

using Ticks = std::vector<Tick>;

}  // namespace

// 2^32 ps are 4.295 ms: at 32 kB/s, 9 flits of 16 B need 4.5 ms.
TEST_CASE("a packet whose duration exceeds 32 bits of picoseconds is refused", "[pure][link]") {
  LinkParams slow;
  slow.rate = {32'000};
  CHECK_THROWS_WITH((NvLinkTransmitter(NvLinkTransmitter::Config{slow, 100, 0})),
                    Catch::Contains("144 B takes more than 4.29 ms"));
  slow.rate = {34'000};
  CHECK_NOTHROW((NvLinkTransmitter(NvLinkTransmitter::Config{slow, 100, 0})));
}

TEST_CASE("a packet arrives after one flit time and the wire delay, its tail with its last flit", "[pure][link]") {
  Bench b;
  b.push(0, 1000);
  CHECK(b.run(999) == 1000);
  CHECK(b.sent.empty());
  CHECK(b.run(1000) == never);
  REQUIRE(b.sent.size() == 1);
  CHECK(b.sent[0].start == 1000);
  CHECK(b.sent[0].tail == 1000 + 9 * 640 + 20'000);
}

TEST_CASE("packets follow each other at line rate, in order within a VC", "[pure][link]") {
  Bench b;
  for (unsigned i = 0; i < 4; ++i) b.push(0, 0, i == 1 ? 0 : 128);
  b.run(1'000'000);
  CHECK(b.starts() == Ticks{0, 5760, 6400, 12'160});
}

TEST_CASE("VCs share the link in round robin", "[pure][link]") {
  Bench b;
  for (unsigned i = 0; i < 3; ++i) b.push(0, 0), b.push(1, 0);
  b.run(1'000'000);
  CHECK(b.vcs() == std::vector<unsigned>{0, 1, 0, 1, 0, 1});
}

TEST_CASE("a packet with a late tail occupies the wire until then", "[pure][link]") {
  Bench b;
  b.push(0, 0, 128, 9000);
  b.push(1, 0);
  b.run(1'000'000);
  CHECK(b.starts() == Ticks{0, 9000});
  CHECK(b.sent[0].tail == 29'000);
}

TEST_CASE("a packet waits for room for all of its flits, exact to the picosecond", "[pure][link]") {
  Bench b(17);
  b.push(0, 0);
  b.push(0, 0);
  CHECK(b.run(100'000) == never);  // 8 flits of room are not enough for 9
  CHECK(b.starts() == Ticks{0});
  CHECK(b.tx.next_with_credit(0, 50'000) == 50'000);
  b.tx.credit(0, 1, 150'123);
  CHECK(b.run(150'122) == 150'123);
  CHECK(b.starts() == Ticks{0});
  b.run(200'000);
  CHECK(b.starts() == Ticks{0, 150'123});
}

TEST_CASE("a packet waits for a credit that arrives a picosecond after the wire is free", "[pure][link]") {
  Bench b(9);
  b.push(0, 0);
  b.push(0, 0);
  b.tx.credit(0, 9, 5761);
  b.run(1'000'000);
  CHECK(b.starts() == Ticks{0, 5761});
}

TEST_CASE("a VC without credits does not block the other VC", "[pure][link]") {
  Bench b(9);
  for (unsigned i = 0; i < 2; ++i) b.push(0, 0), b.push(1, 0);
  b.tx.credit(1, 9, 30'000);
  b.run(29'999);
  CHECK(b.vcs() == std::vector<unsigned>{0, 1});
  b.tx.credit(0, 9, 60'000);
  b.run(1'000'000);
  CHECK(b.vcs() == std::vector<unsigned>{0, 1, 1, 0});
  CHECK(b.starts() == Ticks{0, 5760, 30'000, 60'000});
}

TEST_CASE("the queue capacity counts flits, reservations included", "[pure][link]") {
  Bench b(100, 20);
  CHECK(b.tx.has_room(0, 20));
  CHECK_FALSE(b.tx.has_room(0, 21));
  b.push(0, 0);
  b.tx.reserve(0, 9, 0);
  CHECK(b.tx.has_room(0, 2));
  CHECK_FALSE(b.tx.has_room(0, 3));
  CHECK(b.tx.has_room(1, 20));  // each VC has its own queue
  b.tx.release(0, 9, 0);
  CHECK(b.tx.has_room(0, 11));
  b.run(0);
  CHECK(b.tx.has_room(0, 20));  // the packet on the wire is no longer in the queue
}

TEST_CASE("waiting() names pending packets, and reset returns all credits", "[pure][link]") {
  Bench b(9);
  CHECK((b.tx.quiescent() && b.tx.waiting().empty()));
  b.push(0, 0);
  b.push(0, 0);
  b.run(1'000'000);
  CHECK_FALSE(b.tx.quiescent());
  CHECK(b.tx.waiting() == "vc0: 1 packets queued, 9 of 9 credits held");
  b.tx.reset();
  CHECK((b.tx.quiescent() && b.tx.empty()));
  CHECK(b.pool.live() == 0);
  b.push(0, 0);
  b.run(0);
  CHECK(b.starts() == Ticks{0, 0});
}

TEST_CASE("probes show the start of each packet and the busy time of the wire", "[pure][link]") {
  Bench b;
  std::vector<Tick> starts;
  std::vector<std::pair<Tick, std::uint64_t>> busy;
  b.tx.sent.attach(&starts, [](void* o, Tick t, const PacketView&) { static_cast<Ticks*>(o)->push_back(t); });
  b.tx.busy.attach(&busy, [](void* o, Tick t, std::uint64_t v) { static_cast<decltype(busy)*>(o)->emplace_back(t, v); });
  b.push(0, 100);
  b.push(1, 10'000, 0);
  b.run(1'000'000);
  CHECK(starts == Ticks{100, 10'000});
  CHECK(busy == decltype(busy){{100, 1}, {5860, 0}, {10'000, 1}, {10'640, 0}});
}

TEST_CASE("under random traffic no credit is spent before its arrival, and steps of any size give the same departures",
          "[pure][link]") {
  constexpr unsigned credits = 30, packets = 100;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    // Buffer space returns at a random time after the tail; the sender knows it immediately after sending.
    const auto back = [&](std::size_t i, Tick tail) { return tail + below(random_at(seed, 4, i), 60'000); };
    const auto departures = [&](Tick step) {
      Bench b(credits);
      for (std::uint64_t i = 0; i < packets; ++i)
        b.push(random_at(seed, 1, i) % 2, i * 2000 + below(random_at(seed, 2, i), 2000),
               static_cast<unsigned>(below(random_at(seed, 3, i), 129)));
      b.after_send = [&](const Departure& d) { b.tx.credit(d.vc, d.flits, back(b.sent.size(), d.tail)); };
      for (Tick t = 0; t < 5'000'000; t += step) b.run(t + step - 1);
      REQUIRE(b.tx.quiescent());
      return b.sent;
    };
    const std::vector<Departure> all = departures(5'000'000);
    const std::vector<Departure> stepwise = departures(7'777);
    REQUIRE((all.size() == packets && stepwise.size() == packets));
    Tick free = 0;
    for (std::size_t i = 0; i < packets; ++i) {
      const Departure& d = all[i];
      REQUIRE((stepwise[i].start == d.start && stepwise[i].vc == d.vc));
      REQUIRE(d.start >= free);
      free = d.start + d.flits * Tick{640};
      int left = credits;
      for (std::size_t j = 0; j <= i; ++j) {
        if (all[j].vc != d.vc) continue;
        left -= all[j].flits;
        if (back(j + 1, all[j].tail) <= d.start) left += all[j].flits;
      }
      REQUIRE(left >= 0);
    }
  }
}

}  // namespace tributary::test_link_transmitter
