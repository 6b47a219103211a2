// MessageWindow: the messages that a host has in flight (Liu et al., 3.2).
#include <catch2/catch.hpp>

#include "modules/netreduce/core/message_window.h"

namespace tributary::test_message_window {

TEST_CASE("message i is posted when result i - N has arrived", "[pure][netreduce]") {
  MessageWindow w(2);
  CHECK((w.done() && !w.open(0)));
  w.begin(10, 4, 0);
  CHECK((w.post(0) == 10 && w.post(0) == 11));
  CHECK((!w.open(0) && w.waiting() == "message 12 waits for result 10"));
  w.receive(10, 0);
  CHECK((w.open(2) && w.post(0) == 12 && !w.open(0)));
  w.receive(11, 0);
  CHECK((w.post(0) == 13 && w.waiting() == "waits for result 12"));
  w.receive(12, 0);
  CHECK_FALSE(w.open(0));
  w.receive(13, 0);
  CHECK((w.done() && w.waiting().empty()));
}

TEST_CASE("a send queue of 2N messages stalls the window", "[pure][netreduce]") {
  MessageWindow w(3);
  w.begin(0, 100, 0);
  CHECK((w.open(5) && !w.open(6)));
  CHECK(w.waiting() == "message 0 waits for room in the send queue");
}

TEST_CASE("results arrive in order, a wrong one may arrive before its message", "[pure][netreduce]") {
  MessageWindow w(1);
  w.begin(0, 2, 0);
  CHECK_THROWS_WITH(w.receive(1, 0), "result of message 1, and 0 is next");
  w.receive(0, 0);
  w.receive(1, 0);
  CHECK((w.done() && w.post(0) == 0 && w.post(0) == 1 && !w.open(0)));
  CHECK_THROWS_AS(w.receive(2, 0), std::logic_error);
  CHECK_THROWS_AS(MessageWindow(0), std::invalid_argument);
}

TEST_CASE("a probe shows when the window closes and opens", "[pure][netreduce]") {
  MessageWindow w(1);
  std::vector<std::pair<Tick, std::uint64_t>> seen;
  w.blocked.attach(&seen, [](void* s, Tick t, std::uint64_t v) {
    static_cast<std::vector<std::pair<Tick, std::uint64_t>>*>(s)->emplace_back(t, v);
  });
  w.begin(0, 2, 0);
  w.post(5);
  w.receive(0, 9);
  w.post(9);
  w.receive(1, 12);
  CHECK(seen == std::vector<std::pair<Tick, std::uint64_t>>{{5, 1}, {9, 0}});
}

}  // namespace tributary::test_message_window
