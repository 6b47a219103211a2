// The effort of a message, estimated from its first part.
#include <catch2/catch.hpp>

#include "testbench/run/message_effort.h"

namespace tributary::test_message_effort {

using Catch::Matchers::Equals;

TEST_CASE("a message needs its hops so far over the part of its bound that has passed", "[pure]") {
  // 10^8 hops in 1 ms of at least 50 ms: 5 x 10^9 hops, 1250 s at 4 million a second.
  const MessagePart part{100'000'000, 1'000'000'000, 50e9};
  CHECK(expected_hops(part) == 5e9);
  CHECK_THAT(
      beyond_patience(part, picoseconds(1'200'000'000'000'000), true),
      Equals("at least 5.0 x 10^9 packet-hops, about 21 min of processor time; watchdog.patience is 20 min (legal: --mode "
             "fluid, a smaller message, or more watchdog.patience)"));
  CHECK(beyond_patience(part, picoseconds(1'251'000'000'000'000), true).empty());
  CHECK_THAT(
      beyond_patience({100'000'000, 1'000'000'000, 1000e9}, picoseconds(7'200'000'000'000'000), false),
      Equals(
          "at least 100.0 x 10^9 packet-hops, about 6.9 h of processor time; watchdog.patience is 2.0 h (legal: a smaller "
          "message, or more watchdog.patience)"));
}

TEST_CASE("nothing is expected of a short part, without a bound, or beyond it", "[pure]") {
  const Time hour = picoseconds(3'600'000'000'000'000), second = picoseconds(1'000'000'000'000);
  CHECK(beyond_patience({39'999'999, 1'000'000, 1e15}, hour, false).empty());
  CHECK_FALSE(beyond_patience({40'000'000, 1'000'000, 1e15}, hour, false).empty());
  CHECK(beyond_patience({1'999'999, 1'000'000, 1e15}, second, false).empty());
  CHECK_FALSE(beyond_patience({2'000'000, 1'000'000, 1e15}, second, false).empty());
  CHECK_FALSE(expected_hops({100'000'000, 1'000'000, 0}));
  CHECK_FALSE(expected_hops({100'000'000, 0, 1e9}));
  CHECK(expected_hops({100'000'000, 2'000'000'000, 1e9}) == 1e8);  // slower than its bound: what it has needed
}

}  // namespace tributary::test_message_effort
