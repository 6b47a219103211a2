// Tests packets, credits and trains that wait for a device between its windows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "modules/base/random.h"
#include "modules/link/core/credit_batch.h"
#include "modules/protocol/nvlink.h"
#include "modules/timing/inbox.h"

namespace tributary::test_inbox {
namespace {

struct Seen {
  unsigned port;
  Packet* packet;
  Tick head, tail;
};
struct SeenCredit {
  unsigned port, vc, flits;
  Tick when;
};

/// An inbox and the arrivals taken from it.
struct InboxBench {
  explicit InboxBench(Tick delay) : inbox(delay, LinkParams{}) {}

  void put(unsigned port, Tick head, Tick duration = 5'120) {
    const LinkArrival arrival(0, duration, pool.make(128, false));
    inbox.put_packets(port, head, &arrival, 1);
  }
  /// Releases the packets taken.
  void empty(Tick horizon) {
    inbox.take_credits([this](unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
      for (unsigned i = 0; i < count; ++i)
        credits_seen.push_back({port, credits[i].vc, credits[i].flits, first + credits[i].after});
    });
    inbox.take_packets(horizon, [this](unsigned port, Packet* packet, Tick head, Tick tail) {
      seen.push_back({port, packet, head, tail});
      packet->release();
    });
  }
  PacketPool pool{NvLink{}};
  Inbox inbox;
  std::vector<Seen> seen;
  std::vector<SeenCredit> credits_seen;
};

}  // namespace

TEST_CASE("an inbox releases packets when they can have an effect, and names that time", "[pure][inbox]") {
  InboxBench b(150'000);
  CHECK((b.inbox.next() == never && b.inbox.packets() == 0));
  b.put(3, 100'000);
  b.put(5, 90'000);
  CHECK((b.inbox.packets() == 2 && b.inbox.next() == 240'000));
  b.empty(199'999);
  CHECK(b.seen.empty());
  b.empty(259'999);
  REQUIRE(b.seen.size() == 2);
  const Seen& third = b.seen[b.seen[0].port == 3 ? 0 : 1];  // the order among ports is undefined
  CHECK((third.head == 100'000 && third.tail == 105'120 && third.port == 3));
  CHECK((b.inbox.packets() == 0 && b.inbox.next() == never && b.pool.live() == 0));
}

TEST_CASE("in a train of packets, times count from the first packet", "[pure][inbox]") {
  InboxBench b(0);
  PacketTrain train;
  CHECK(train.empty());
  train.add(b.pool.make(128, false), 1'000, 6'120);
  train.add(b.pool.make(0, false), 7'000, 7'000);
  train.empty_into([&](Tick first, const LinkArrival* packets, unsigned count) {
    CHECK((first == 1'000 && count == 2 && packets[1].after == 6'000));
    CHECK(b.inbox.put_packets(7, first, packets, count) == 1'000);
  });
  b.empty(19'999);
  REQUIRE(b.seen.size() == 2);
  CHECK((b.seen[0].head == 1'000 && b.seen[0].tail == 6'120 && b.seen[1].head == 7'000 && b.seen[1].tail == 7'000));
}

TEST_CASE("an inbox keeps its times after a long idle period and on slow links", "[pure][inbox]") {
  InboxBench b(150'000);
  b.put(0, 1'000);
  b.put(1, 50'000'000'000);  // 50 ms: far more buckets than exist
  b.put(0, 2'000);
  CHECK(b.inbox.next() == 151'000);
  b.empty(160'000);
  CHECK((b.seen.size() == 2 && b.inbox.next() == 50'000'150'000));
  b.empty(50'000'160'000);
  CHECK((b.seen.size() == 3 && b.inbox.next() == never));
  b.put(2, 80'000'000'000);
  CHECK(b.inbox.next() == 80'000'150'000);
  b.inbox.reset();
  CHECK((b.inbox.packets() == 0 && b.inbox.next() == never && b.pool.live() == 0));
}

TEST_CASE("an inbox loses nothing, keeps the order of each port, and is never late", "[pure][inbox]") {
  constexpr Tick delay = 150'000, window = 20'000;
  InboxBench b(delay);
  std::vector<Tick> last(16, 0);
  std::uint64_t put = 0;
  for (std::uint64_t w = 0; w < 3'000; ++w) {
    const Tick now = w * window;
    for (std::uint64_t i = 0; i < random_at(1, 1, w) % 12; ++i) {
      const std::uint64_t r = random_at(2, w, i);
      const auto port = static_cast<unsigned>(r % 16);
      last[port] = std::max(last[port], now + window + r / 16 % window);  // at least the link's latency
      b.put(port, last[port]);
      ++put;
    }
    const std::size_t before = b.seen.size();
    const Tick horizon = now + window - 1, next = b.inbox.next();
    b.empty(horizon);
    Tick first = never;
    for (std::size_t i = before; i < b.seen.size(); ++i) first = std::min(first, b.seen[i].head + delay);
    CHECK(first >= now);
    CHECK((next <= horizon ? first == next : first > horizon));
    CHECK(b.inbox.next() > horizon);
  }
  b.empty(3'100 * window);
  CHECK(b.seen.size() == put);
  std::vector<Tick> heads(16, 0);
  for (const Seen& s : b.seen) {
    CHECK(s.head >= heads[s.port]);
    heads[s.port] = s.head;
  }
  CHECK(b.pool.live() == 0);
}

TEST_CASE("a device of up to 128 ports keeps credits of each", "[pure][inbox]") {
  BasicCreditBatch<128> batch;
  CHECK(!batch.add(71, 1'000, 0, 9));
  CHECK(!batch.add(63, 1'000, 0, 9));
  for (const unsigned port : {63u, 71u}) {
    CHECK(first_port(batch.ports()) == port);
    batch.empty_into(port, [](Tick first, const LinkCredit* credits, unsigned count) {
      CHECK((first == 1'000 && count == 1 && credits[0].flits == 9));
    });
  }
  CHECK(batch.ports() == 0);
}

TEST_CASE("credits are available immediately, those of a port in one call", "[pure][inbox]") {
  InboxBench b(150'000);
  CreditBatch batch;
  const auto put = [&](unsigned port) {
    batch.empty_into(port, [&](Tick first, const LinkCredit* credits, unsigned count) {
      b.inbox.put_credits(port, first, credits, count);
    });
  };
  CHECK(!batch.add(9, 1'000, 0, 9));
  CHECK(!batch.add(2, 1'500, 1, 1));
  CHECK(!batch.add(9, 4'000, 1, 1));
  CHECK(batch.ports() == (1u << 9 | 1u << 2));
  put(2), put(9);
  b.empty(0);
  REQUIRE(b.credits_seen.size() == 3);
  CHECK((b.credits_seen[0].port == 2 && b.credits_seen[0].when == 1'500 && b.credits_seen[0].flits == 1));
  CHECK((b.credits_seen[1].port == 9 && b.credits_seen[1].when == 1'000 && b.credits_seen[1].vc == 0));
  CHECK((b.credits_seen[2].port == 9 && b.credits_seen[2].when == 4'000 && b.credits_seen[2].vc == 1));
  CHECK(batch.ports() == 0);
  batch.empty_into(9, [](Tick, const LinkCredit*, unsigned count) { CHECK(count == 0); });

  for (unsigned i = 0; i < CreditBatch::max_credits; ++i)
    CHECK(batch.add(4, 10'000 + i, 0, 1) == (i + 1 == CreditBatch::max_credits));
  put(4);
  CHECK(!batch.add(4, 20'000, 0, 1));
  batch.clear();
  b.empty(0);
  CHECK(b.credits_seen.size() == 3 + CreditBatch::max_credits);
}

}  // namespace tributary::test_inbox
