/// Tests that records stay after the blocks of earlier copies.
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "modules/gpu/core/copy_order.h"

namespace tributary::test_copy_order {

TEST_CASE("copy order: a record is due when all blocks of its turn are counted and earlier records are due", "[pure][gpu]") {
  CopyOrder order;
  std::vector<std::uint32_t> due;
  const auto add = [&due](std::uint32_t semaphore) { due.push_back(semaphore); };
  order.counted(1, add);  // blocks of a later copy arrive first
  order.counted(1, add);
  order.told(1, 2, 11, add);
  CHECK(due.empty());
  CHECK_FALSE(order.waits());  // the previous record is not known yet
  order.told(0, 1, 10, add);
  CHECK(order.waits());
  CHECK(order.semaphore() == 10);
  CHECK(order.missing() == 1);
  order.counted(0, add);
  CHECK(due == std::vector<std::uint32_t>{10, 11});
  order.told(2, 0, 12, add);  // no copy between two records
  CHECK(due.back() == 12);
  CHECK_FALSE(order.waits());
  CHECK_THROWS_AS(order.counted(1, add), std::logic_error);
  order.counted(3, add);
  order.counted(3, add);
  CHECK_THROWS_AS(order.told(3, 1, 13, add), std::logic_error);
}

TEST_CASE("copy order: blocks and records may arrive in any order, over more than 2^16 turns", "[pure][gpu]") {
  CopyOrder order;
  struct Event {
    std::uint32_t turn;
    bool record;
  };
  std::vector<std::uint32_t> due;
  const auto add = [&due](std::uint32_t semaphore) { due.push_back(semaphore); };
  constexpr std::uint32_t turns = 70'000, group = 8;
  std::uint64_t draws = 0;
  for (std::uint32_t first = 0; first < turns; first += group) {
    std::vector<Event> events;
    for (std::uint32_t turn = first; turn < first + group; ++turn) {
      for (std::uint32_t b = 0; b < turn % 3; ++b) events.push_back({turn, false});
      events.push_back({turn, true});
    }
    for (std::size_t i = events.size(); i > 1; --i) std::swap(events[i - 1], events[below(random_at(1, 2, draws++), i)]);
    for (const Event& e : events)
      if (e.record)
        order.told(static_cast<std::uint16_t>(e.turn), e.turn % 3, e.turn, add);
      else
        order.counted(static_cast<std::uint16_t>(e.turn), add);
    CHECK(due.size() == first + group);
  }
  bool in_order = true;
  for (std::uint32_t turn = 0; turn < turns; ++turn) in_order = in_order && due[turn] == turn;
  CHECK(in_order);
}

}  // namespace tributary::test_copy_order
