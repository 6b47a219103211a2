// RingQueue against std::deque, LocalQueue against std::priority_queue, and round-robin arbitration.
#include <catch2/catch.hpp>
#include <deque>
#include <queue>
#include <set>

#include "modules/base/random.h"
#include "modules/base/ring_queue.h"
#include "modules/link/core/local_queue.h"
#include "modules/switching/core/arbiter.h"

using namespace tributary;

TEST_CASE("a ring queue is a FIFO that grows", "[pure][queues]") {
  RingQueue<std::uint64_t> q;
  std::deque<std::uint64_t> model;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t r = random_at(1, 1, i);
    if (r % 1000 == 0) q.clear(), model.clear();
    if (model.empty() || r % 100 < (i % 1000 < 500 ? 60 : 40)) {
      q.push(i);
      model.push_back(i);
    } else {
      REQUIRE(q.front() == model.front());
      q.pop();
      model.pop_front();
    }
    REQUIRE(q.size() == model.size());
    REQUIRE(q.empty() == model.empty());
    if (model.empty()) continue;
    REQUIRE(q.back() == model.back());
    const auto at = static_cast<std::uint32_t>(below(mix64(r), model.size()));
    REQUIRE(q[at] == model[at]);
  }
}

TEST_CASE("sorted insertion keeps equal elements in order of arrival", "[pure][queues]") {
  struct Item {
    unsigned key, serial;
  };
  RingQueue<Item> q;
  for (unsigned i = 0; i < 300; ++i) {
    q.insert_sorted({static_cast<unsigned>(below(random_at(2, 1, i), 10)), i},
                    [](const Item& a, const Item& b) { return a.key < b.key; });
    if (i % 3 == 0) q.pop();
  }
  REQUIRE(q.size() == 200);
  for (unsigned i = 1; i < q.size(); ++i) {
    const Item &a = q[i - 1], &b = q[i];
    CHECK((a.key < b.key || (a.key == b.key && a.serial < b.serial)));
  }
}

TEST_CASE("events come in order of time and key, near and far ones", "[pure][queues]") {
  LocalQueue q;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    using Event = std::pair<Tick, unsigned>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> model;
    Tick now = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::uint64_t r = random_at(seed, 1, i);
      if (model.empty() || r % 100 < 52) {
        // Mostly a few nanoseconds, at times beyond the wheel's 262 ns, at times far beyond; often the same instant.
        constexpr Tick spans[] = {1, 300, 6'000, 262'144, 300'000, 50'000'000};
        const Tick when = now + below(mix64(r), spans[r / 100 % 6]);
        const auto key = static_cast<unsigned>(below(mix64(r + 1), r % 7 == 0 ? 4 : 4096));
        q.schedule(when, key);
        model.emplace(when, key);
      } else {
        REQUIRE(q.next() == model.top().first);
        REQUIRE(q.next_key() == model.top().second);
        now = q.next();
        q.pop();
        model.pop();
      }
      REQUIRE(q.empty() == model.empty());
      REQUIRE(q.next() == (model.empty() ? never : model.top().first));
    }
    if (seed % 2 == 0) {
      q.clear();
      REQUIRE(q.empty());
    }
    for (; !q.empty(); q.pop(), model.pop()) REQUIRE(Event(q.next(), q.next_key()) == model.top());
    q.clear();  // time begins anew
  }
}

TEST_CASE("the wheel turns many times", "[pure][queues]") {
  LocalQueue q;
  Tick now = 0;
  for (unsigned i = 0; i < 10'000; ++i) {
    // One event 262 143 ps ahead lies in the last bucket or just beyond it, one at once.
    q.schedule(now + 262'143, 7);
    q.schedule(now, 9);
    REQUIRE((q.next() == now && q.next_key() == 9));
    q.pop();
    REQUIRE(q.next() == now + 262'143);
    q.pop();
    REQUIRE(q.empty());
    now += 262'143;
  }
}

TEST_CASE("events of up to an hour ahead fit", "[pure][queues]") {
  LocalQueue q;
  const Tick hour = 3'600'000'000'000'000;
  q.schedule(hour, 4095);
  q.schedule(hour - 1, 0);
  CHECK((q.next() == hour - 1 && q.next_key() == 0));
  q.pop();
  CHECK((q.next() == hour && q.next_key() == 4095));
  q.pop();
  CHECK(q.next() == never);
}

TEST_CASE("the first requester from a place on, wrapping round", "[pure][queues]") {
  CHECK(first_from(0b1010'0100, 0) == 2);
  CHECK(first_from(0b1010'0100, 2) == 2);
  CHECK(first_from(0b1010'0100, 3) == 5);
  CHECK(first_from(0b1010'0100, 8) == 2);
  CHECK(first_from(std::uint64_t{1} << 63, 5) == 63);
  CHECK(first_from(1, 63) == 0);
  CHECK(first_from(1, 64) == 0);
}

TEST_CASE("round robin serves every requester within one round", "[pure][queues]") {
  RoundRobin arbiter;
  const std::uint64_t requests = 0x8000'0001'0000'0013;
  const unsigned n = 5;
  for (unsigned round = 0; round < 4; ++round) {
    std::set<unsigned> winners;
    for (unsigned i = 0; i < n; ++i) {
      const unsigned winner = arbiter.pick(requests);
      arbiter.granted(winner);
      winners.insert(winner);
    }
    CHECK(winners == std::set<unsigned>{0, 1, 4, 32, 63});
  }
  CHECK(arbiter.pick(requests) == 0);
  arbiter.granted(4);
  arbiter.reset();
  CHECK(arbiter.pick(requests) == 0);
}
