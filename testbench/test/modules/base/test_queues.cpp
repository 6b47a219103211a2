// Compares RingQueue and PooledQueue with std::deque, event slots with a linear search, and tests round-robin arbitration.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <set>

#include "modules/base/host/pooled_queue.h"
#include "modules/base/host/ring_queue.h"
#include "modules/base/random.h"
#include "modules/switching/core/arbiter.h"
#include "modules/timing/core/event_slots.h"

namespace tributary::test_queues {
namespace {

/// Pushes `i` or pops, at random, in the queue and in its model, and compares the two.
template <class Queue>
void push_or_pop(Queue& q, std::deque<std::uint64_t>& model, std::uint64_t random, std::uint64_t i, bool grows) {
  if (random % 1000 == 0) q.clear(), model.clear();
  if (model.empty() || random % 100 < (grows ? 60 : 40)) {
    q.push(i);
    model.push_back(i);
  } else {
    q.pop();
    model.pop_front();
  }
  REQUIRE(q.size() == model.size());
  REQUIRE(q.empty() == model.empty());
  if (!model.empty()) REQUIRE(q.front() == model.front());
}

}  // namespace

TEST_CASE("a ring queue is a FIFO that grows", "[pure][queues]") {
  RingQueue<std::uint64_t> q;
  std::deque<std::uint64_t> model;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t r = random_at(1, 1, i);
    push_or_pop(q, model, r, i, i % 1000 < 500);
    if (model.empty()) continue;
    const auto at = static_cast<std::uint32_t>(below(mix64(r), model.size()));
    REQUIRE(q[at] == model[at]);
  }
}

TEST_CASE("pooled queues are FIFOs that share their chunks", "[pure][queues]") {
  ChunkStock stock;
  using Queue = PooledQueue<std::uint64_t>;  // 63 elements per chunk
  std::array<Queue, 3> queues{Queue(stock), Queue(stock), Queue(stock)};
  std::array<std::deque<std::uint64_t>, 3> models;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const auto at = static_cast<std::size_t>(random_at(3, 1, i) % 3);
    push_or_pop(queues[at], models[at], random_at(3, 2, i), i, i % 5000 < 2500);
  }
}

TEST_CASE("sorted insertion keeps equal elements in order of arrival", "[pure][queues]") {
  struct Item {
    unsigned key, serial;
  };
  RingQueue<Item> q;
  for (unsigned i = 0; i < 300; ++i) {
    q.insert_sorted([](const Item& a, const Item& b) { return a.key < b.key; },
                    static_cast<unsigned>(below(random_at(2, 1, i), 10)), i);
    if (i % 3 == 0) q.pop();
  }
  REQUIRE(q.size() == 200);
  for (unsigned i = 1; i < q.size(); ++i) {
    const Item &a = q[i - 1], &b = q[i];
    CHECK((a.key < b.key || (a.key == b.key && a.serial < b.serial)));
  }
}

TEST_CASE("sorted insertion in a pooled queue works across chunk borders", "[pure][queues]") {
  struct Item {
    std::uint64_t key, serial, unused;
  };
  const auto less = [](const Item& a, const Item& b) { return a.key < b.key; };
  ChunkStock stock;
  PooledQueue<Item> q(stock);
  std::deque<Item> model;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Item item{below(random_at(4, 1, i), 10), i, 0};
    q.insert_sorted(less, item.key, item.serial, item.unused);
    model.insert(std::upper_bound(model.begin(), model.end(), item, less), item);
    if (i % 4 == 0) q.pop(), model.pop_front();
  }
  REQUIRE(q.size() == 300);
  for (; !q.empty(); q.pop(), model.pop_front())
    REQUIRE((q.front().key == model.front().key && q.front().serial == model.front().serial));
}

TEST_CASE("a queue reuses the chunk that was freed last", "[pure][queues]") {
  struct Own {
    std::uint64_t value;
  };
  ChunkStock stock;
  PooledQueue<Own> a(stock), b(stock);
  const Own* const place = &a.push(std::uint64_t{1});
  a.clear();
  CHECK(&b.push(std::uint64_t{2}) == place);
  CHECK(&a.push(std::uint64_t{3}) != place);
}

TEST_CASE("the earliest event is first, and at one instant the lowest slot", "[pure][queues]") {
  EventSlots<5> q;
  CHECK(q.next() == never);
  q.set(7, 300);
  q.set(20, 100);
  q.set(3, 300);
  CHECK((q.next() == 100 && q.next_slot() == 20 && q.soonest() == 100));
  q.set(20, never);
  CHECK((q.next() == 300 && q.next_slot() == 3));
  q.advance(7, 400);  // later: no change
  CHECK(q.at(7) == 300);
  q.advance(7, 299);
  CHECK((q.next() == 299 && q.next_slot() == 7));
  q.set(7, 5'000'000'000'000'000);  // 83 minutes
  q.set(3, never);
  CHECK((q.next_slot() == 7 && q.soonest() == 5'000'000'000'000'000));
  q.clear();
  CHECK((q.next() == never && q.soonest() > 5'000'000'000'000'000 && q.at(3) == never));
}

TEST_CASE("event slots agree with a linear search", "[pure][queues]") {
  EventSlots<5> q;
  std::array<Tick, 32> model;
  model.fill(never);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t r = random_at(1, 1, i);
    const auto slot = static_cast<unsigned>(r % 32);
    model[slot] = r % 5 == 0 ? never : below(mix64(r), r % 3 == 0 ? 8 : 1'000'000);  // often the same instant
    q.set(slot, model[slot]);
    const auto first = std::min_element(model.begin(), model.end());
    REQUIRE(q.next() == *first);
    if (*first == never) continue;
    REQUIRE(q.next_slot() == static_cast<unsigned>(first - model.begin()));
    REQUIRE(q.soonest() == *first);
  }
}

TEST_CASE("first_from finds the next requester and wraps around", "[pure][queues]") {
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
  CHECK(arbiter.pick(requests) == 32);
}

}  // namespace tributary::test_queues
