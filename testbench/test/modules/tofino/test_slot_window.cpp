#include <catch2/catch.hpp>
#include <vector>

#include "modules/tofino/core/slot_window.h"

namespace tributary::test_slot_window {

TEST_CASE("Slots: packet k + S follows packet k, in the other version", "[pure]") {
  SlotWindow w;
  w.start({10, 4, never, 4}, 100);
  std::vector<std::uint32_t> sent;
  while (w.next() != never) sent.push_back(w.take(100).packet);
  CHECK(sent == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(w.outstanding() == 4);
  CHECK(w.accept(2, 200));
  CHECK_FALSE(w.accept(2, 201));
  CHECK_FALSE(w.accept(6, 201));
  const auto next = w.take(200);
  CHECK(next.packet == 6);
  CHECK(next.slot == 2);
  CHECK(next.version);
  CHECK_FALSE(next.resent);
  CHECK(w.next() == never);
  CHECK(w.waiting() == "packet 0 (slot 0) waits for its result, 4 in flight");
  CHECK(w.accept(6, 300));
  CHECK(w.next() == never);  // packet 10 would be next, but does not exist
  for (const std::uint32_t p : {0u, 1u, 3u}) CHECK(w.accept(p, 300));
  for (int i = 0; i < 5; ++i) {
    REQUIRE(w.next() != never);
    const auto s = w.take(300);
    CHECK(w.accept(s.packet, 300));
  }
  CHECK(w.finished());
  CHECK(w.next() == never);
  CHECK(w.waiting().empty());
}

TEST_CASE("Slots: without a result a packet is sent again, timeout after timeout", "[pure]") {
  SlotWindow w;
  w.start({2, 2, 1000, 2}, 0);
  w.take(0);
  w.take(10);
  CHECK(w.next() == 1000);
  const auto again = w.take(1000);
  CHECK(again.packet == 0);
  CHECK(again.resent);
  CHECK(w.next() == 1010);
  CHECK(w.accept(1, 1005));
  CHECK(w.next() == 2000);
  CHECK(w.take(2000).resent);
  CHECK(w.accept(0, 2500));
  CHECK(w.finished());
  CHECK(w.resendings() == 2);
}

TEST_CASE("Slots: a requested packet is sent immediately", "[pure]") {
  SlotWindow w;
  w.start({3, 3, 1000, 3}, 0);
  for (int i = 0; i < 3; ++i) w.take(0);
  w.send_again(1, 400);
  CHECK(w.next() == 400);
  CHECK(w.take(400).packet == 1);
  CHECK(w.next() == 1000);
  w.accept(2, 500);
  w.send_again(2, 500);
  CHECK(w.next() == 1000);
}

TEST_CASE("Slots: a limit below the number of slots", "[pure]") {
  SlotWindow w;
  w.start({8, 8, never, 8}, 0);
  w.set_limit(2);
  w.take(0);
  CHECK(w.next() != never);
  w.take(0);
  CHECK(w.next() == never);
  w.accept(0, 5);
  CHECK(w.next() != never);
}

TEST_CASE("Slots: a round trip begins at the tail of the queue", "[pure]") {
  // One packet each 10 ps. 5 are queued or in flight, so a round trip is 5 x 10 ps, except for the first packets.
  SlotWindow w;
  w.start({100, 1, never, 5}, 0);
  double expected = 0;
  for (Tick t = 10; t <= 1000; t += 10) {
    const auto s = w.take(t - 10);
    CHECK(w.accept(s.packet, t));
    expected += static_cast<double>(t < 50 ? t : 50);
  }
  CHECK(w.finished());
  CHECK(w.mean_round_trip() == Approx(expected / 100));
}

TEST_CASE("Congestion window: halved at most once in a window, increased by one in a window", "[pure]") {
  CongestionWindow w;
  w.start(16);
  CHECK(w.size() == 16);
  w.accept(true, 3, 20);
  CHECK(w.size() == 8);
  w.accept(true, 4, 20);  // sent before the last cut
  CHECK(w.size() == 8);
  w.accept(true, 20, 30);
  CHECK(w.size() == 4);
  for (int i = 0; i < 4; ++i) w.accept(false, 21, 40);
  CHECK(w.size() == 5);
  for (int i = 0; i < 1000; ++i) w.accept(false, 21, 40);
  CHECK(w.size() == 16);
}

}  // namespace tributary::test_slot_window
