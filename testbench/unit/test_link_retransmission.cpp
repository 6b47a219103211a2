// Errors on a link, by hand: 25 GB/s (a flit in 640 ps, a packet in 5760), 20 ns of wire. A packet that starts at t has
// arrived at t + 25 760; its ack or nack, of one flit, is back 20 640 later, at t + 46 400.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "modules/base/random.h"
#include "modules/link/core/link_transmitter.h"
#include "testbench/observe/signal_counter.h"

using namespace tributary;

namespace {

using Ticks = std::vector<Tick>;
using Numbers = std::vector<std::uint64_t>;

struct Delivery {
  std::uint64_t number;
  unsigned vc;
  Tick start, tail;
  bool operator==(const Delivery& o) const { return number == o.number && vc == o.vc && start == o.start && tail == o.tail; }
};

LinkRetransmission::Config faults(Numbers corrupt, Numbers duplicate = {}, unsigned buffer = 1000) {
  LinkRetransmission::Config c;
  c.buffer_flits = buffer;
  c.corrupt = std::move(corrupt);
  c.duplicate = std::move(duplicate);
  return c;
}

/// A link, and what comes out of it. Packets are numbered in the order in which they are pushed.
class Bench {
 public:
  explicit Bench(const LinkRetransmission::Config* protection, unsigned credits = 10'000)
      : tx(LinkTransmitter::Config{LinkParams{}, credits, 0}) {
    if (protection == nullptr) return;
    tx.protect(*protection);
    tx.retransmission()->begin(0);
    tx.describe(directory, "");
    for (const char* event : {"crc_errors", "duplicates_dropped", "retransmissions"})
      counters.add(directory, {{std::string("link.") + event, event}});
  }
  explicit Bench(const LinkRetransmission::Config& protection, unsigned credits = 10'000) : Bench(&protection, credits) {}

  void push(unsigned vc, Tick ready, unsigned payload = 128) {
    Packet* p = pool.make(payload, false);
    p->vc = static_cast<std::uint8_t>(vc);
    p->born = pushed++;
    tx.push(p, vc, p->flits, ready, ready);
  }
  void push_many(unsigned packets) {
    for (unsigned i = 0; i < packets; ++i) push(0, 0);
  }
  Tick run(Tick horizon) {
    return tx.run_until(horizon, [&](const LinkTransmitter::Sent& s) {
      delivered.push_back({s.packet->born, s.packet->vc, s.head - 20'640, s.tail});
      if (give_back) tx.credit(s.packet->vc, s.packet->flits, s.tail + 100'000);
      s.packet->release();
    });
  }
  Ticks starts() const {
    Ticks t;
    for (const Delivery& d : delivered) t.push_back(d.start);
    return t;
  }
  bool once_and_in_order() const {
    std::map<unsigned, std::uint64_t> last;
    std::vector<bool> seen(pushed, false);
    for (const Delivery& d : delivered) {
      if (seen[d.number] || (last.count(d.vc) != 0 && d.number < last[d.vc])) return false;
      seen[d.number] = true;
      last[d.vc] = d.number;
    }
    return delivered.size() == pushed;
  }
  std::uint64_t count(const std::string& event) const {
    for (const SignalCounters::Counter& c : counters.counters())
      if (c.name == event) return c.count;
    throw std::logic_error(event);
  }
  /// {crc_errors, retransmissions, duplicates_dropped}
  Numbers counts() const { return {count("crc_errors"), count("retransmissions"), count("duplicates_dropped")}; }

  PacketPool pool;
  LinkTransmitter tx;
  ProbeDirectory directory;
  SignalCounters counters;
  std::vector<Delivery> delivered;
  std::uint64_t pushed = 0;
  bool give_back = false;
};

/// `n` starts from `first` on, back to back.
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

TEST_CASE("a corrupted packet is sent again when its nack is back", "[pure][link][llr]") {
  Bench b(faults({0}));
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
  CHECK(b.tx.traffic().flits == 18);
  CHECK(b.tx.traffic().packets == 1);
}

TEST_CASE("all that was sent until the nack came is sent again, in order", "[pure][link][llr]") {
  Bench first(faults({0}));
  first.push_many(20);
  first.run(10'000'000);
  // Packets 0 to 8 start before 46 400; the wire is free at 51 840.
  CHECK(first.starts() == back_to_back(51'840, 20));
  CHECK(first.counts() == Numbers{1, 9, 0});
  CHECK(first.tx.traffic().flits == 29 * 9);
  Bench third(faults({2}));
  third.push_many(20);
  third.run(10'000'000);
  // Its nack is back at 57 920: packets 2 to 10 are sent twice.
  CHECK(third.starts() == joined({0, 5760}, back_to_back(63'360, 18)));
  CHECK(third.counts() == Numbers{1, 9, 0});
  CHECK((first.once_and_in_order() && third.once_and_in_order()));
}

TEST_CASE("a nack for what was sent before the sender went back is not heard", "[pure][link][llr]") {
  Bench b(faults({0, 3}));
  b.push_many(12);
  b.run(10'000'000);
  // Packet 3 was lost behind packet 0 anyway: one replay mends both.
  CHECK(b.starts() == back_to_back(51'840, 12));
  CHECK(b.counts() == Numbers{2, 9, 0});
}

TEST_CASE("a duplicate takes its time on the wire and is dropped", "[pure][link][llr]") {
  Bench b(faults({}, {1}));
  b.push_many(4);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0, 5760, 17'280, 23'040});
  CHECK(b.counts() == Numbers{0, 0, 1});
  CHECK(b.tx.traffic().flits == 45);
  CHECK(b.once_and_in_order());
}

TEST_CASE("a duplicate of a corrupted packet is as good, and the replay is then dropped", "[pure][link][llr]") {
  Bench b(faults({1}, {1}));
  b.push_many(3);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0, 11'520, 17'280});
  // The nack of 52 160 asks for packets 1 and 2 once more; their acks come at 57 920 and 63 680.
  CHECK(b.counts() == Numbers{1, 2, 2});
  CHECK(b.tx.traffic().flits == 6 * 9);
  CHECK(b.once_and_in_order());
  CHECK(b.pool.live() == 0);
}

TEST_CASE("what is acknowledged while the nack waits for the wire is not sent again", "[pure][link][llr]") {
  // Requests of one flit; the nack of the first is back at 41 280, in the middle of a full packet that leaves by 45 760. The
  // duplicate has saved both requests, and their acks are back by then: the full packet alone is sent again, in vain.
  Bench b(faults({0}, {0}));
  b.push(0, 0, 0);
  b.push(0, 0, 0);
  b.push(0, 40'000);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{640, 1280, 40'000});
  CHECK(b.counts() == Numbers{1, 1, 1});
  CHECK(b.once_and_in_order());
}

TEST_CASE("a full replay buffer stalls the sender until an ack is back", "[pure][link][llr]") {
  Bench b(faults({}, {}, 18));
  b.push_many(4);
  CHECK(b.run(11'520) == 46'400);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0, 5760, 46'400, 52'160});
  CHECK(b.once_and_in_order());
  CHECK_THROWS_AS(Bench(faults({}, {}, 8)), std::invalid_argument);
}

TEST_CASE("the automatic replay buffer covers the round trip: 81 flits of full packets, one of them fewer stalls",
          "[pure][link][llr]") {
  CHECK(replay_flits(LinkParams{}) == 82);
  const auto finish = [](unsigned flits) {
    Bench b(faults({}, {}, flits));
    b.push_many(100);
    b.run(10'000'000);
    return b.delivered.back().start;
  };
  CHECK(finish(82) == 99 * 5760);
  CHECK(finish(81) == 99 * 5760);
  CHECK(finish(80) > 99 * 5760);
}

TEST_CASE("both VCs share one sequence, and credits are spent once", "[pure][link][llr]") {
  Bench b(faults({1}), 18);
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

TEST_CASE("a dead link loses what has not arrived, and sends nothing any more", "[pure][link][llr]") {
  LinkRetransmission::Config c = faults({});
  c.dead_after = 30'000;
  Bench b(c);
  b.push_many(10);
  b.run(10'000'000);
  CHECK(b.starts() == Ticks{0});         // the second packet would arrive at 31 520
  CHECK(b.tx.traffic().flits == 6 * 9);  // 0 to 28 800
  CHECK_FALSE(b.tx.quiescent());
  CHECK(b.tx.waiting() == "vc0: 4 packets queued, 54 of 10000 credits held, 5 packets not delivered yet");
  b.tx.reset();
  CHECK((b.tx.quiescent() && b.tx.empty() && b.tx.waiting().empty()));
  CHECK(b.pool.live() == 0);
}

TEST_CASE("reset brings all faults back", "[pure][link][llr]") {
  Bench b(faults({1}, {2}));
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
  b.run(20'000);  // a nack is on its way
  CHECK_FALSE(b.tx.quiescent());
  b.tx.reset();
  CHECK((b.tx.quiescent() && b.run(10'000'000) == never));
  CHECK(b.pool.live() == 0);
}

TEST_CASE("random bit errors: each packet once and in order, steps of any size alike", "[pure][link][llr]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    LinkRetransmission::Config c = faults({seed % 5, 20}, {seed % 7, 21}, seed % 3 == 0 ? 9 : seed % 3 == 1 ? 40 : 82);
    c.bit_error_rate = seed % 4 == 0 ? 1e-3 : 1e-4;
    c.seed = seed;
    const auto deliveries = [&](Tick step) {
      Bench b(c, 60);
      b.give_back = true;
      for (std::uint64_t i = 0; i < 200; ++i)
        b.push(random_at(seed, 1, i) % 2, i * 3000, static_cast<unsigned>(below(random_at(seed, 3, i), 129)));
      for (Tick t = 0; t < 100'000'000 && !(t > 2'000'000 && b.tx.quiescent()); t += step) b.run(t + step - 1);
      REQUIRE(b.tx.quiescent());
      REQUIRE(b.once_and_in_order());
      REQUIRE(b.pool.live() == 0);
      REQUIRE(b.count("crc_errors") >= 1);
      return b.delivered;
    };
    REQUIRE(deliveries(100'000'000) == deliveries(7'777));
  }
}

TEST_CASE("errors come as often as the bits of a packet make them", "[pure][link][llr]") {
  // 1 - (1 - ber)^bits with 128 bits a flit, and four standard deviations.
  for (const auto& [ber, payload] :
       std::vector<std::pair<double, unsigned>>{{1e-4, 128}, {1e-4, 0}, {1e-3, 128}, {1e-5, 64}}) {
    LinkRetransmission::Config c = faults({});
    c.bit_error_rate = ber;
    c.seed = 7;
    Bench b(c, 1'000'000);
    for (unsigned i = 0; i < 20'000; ++i) b.push(0, i * Tick{10'000'000}, payload);  // too far apart to meet
    b.run(never - 1);
    const double bits = 128.0 * flits_for(payload), p = 1 - std::pow(1 - ber, bits);
    const auto sent = static_cast<double>(b.tx.traffic().flits / flits_for(payload));
    const auto wrong = static_cast<double>(b.count("crc_errors"));
    CHECK(std::abs(wrong - p * sent) < 4 * std::sqrt(sent * p * (1 - p)));
    CHECK(b.count("retransmissions") == b.count("crc_errors"));
  }
}

TEST_CASE("without errors the protocol changes nothing", "[pure][link][llr]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto deliveries = [&](const LinkRetransmission::Config* protection) {
      Bench b(protection, 30);
      b.give_back = true;
      for (std::uint64_t i = 0; i < 200; ++i)
        b.push(random_at(seed, 1, i) % 2, i * 2000, static_cast<unsigned>(below(random_at(seed, 3, i), 129)));
      b.run(1'000'000'000);
      REQUIRE(b.once_and_in_order());
      return b.delivered;
    };
    const LinkRetransmission::Config c = faults({}, {}, replay_flits(LinkParams{}));
    REQUIRE(deliveries(&c) == deliveries(nullptr));
  }
}
