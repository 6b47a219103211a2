#include <catch2/catch.hpp>

#include "testbench/run/watchdog.h"

namespace tributary::test_run_watchdog {

using tributary::Watchdog;

TEST_CASE("watchdog: slices are multiples of the shortest slice and end with the window", "[pure][run]") {
  const Watchdog dog(1000, 100, 20);
  CHECK(dog.slice(1000, 1000) == 20);  // no event is known
  CHECK(dog.slice(1000, 1005) == 20);
  CHECK(dog.slice(1000, 1041) == 60);
  CHECK(dog.slice(1000, 5000) == 100);
  CHECK(dog.slice(1090, 1091) == 10);
  CHECK(dog.slice(1100, 1200) == 20);
  CHECK(Watchdog(0, 10, 20).slice(0, 0) == 10);
}

TEST_CASE("watchdog: progress and timers postpone the end", "[pure][run]") {
  Watchdog dog(1000, 100, 20);
  CHECK_FALSE(dog.expired(1099));
  CHECK(dog.expired(1100));
  dog.observe(1050, 0);  // no progress
  CHECK(dog.expired(1100));
  dog.observe(1050, 3);
  CHECK_FALSE(dog.expired(1149));
  dog.observe(1140, 3);
  CHECK(dog.expired(1150));
  dog.extend(1200);
  CHECK_FALSE(dog.expired(1299));
  dog.extend(1100);
  CHECK(dog.expired(1300));
}

}  // namespace tributary::test_run_watchdog
