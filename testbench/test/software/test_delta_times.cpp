// The time during which a sum of changes is above a threshold.
#include <catch2/catch.hpp>

#include "testbench/observe/delta_times.h"

namespace tributary::test_delta_times {

TEST_CASE("the time of a full buffer counts from the packet that fills it to the ack that is known ahead", "[pure]") {
  DeltaTimes::Sum sum;
  sum.above = 7;  // no room for 9 of 16 flits
  sum.change(100, 4);
  sum.change(180, -4);  // known ahead
  sum.change(120, 4);   // 8 flits: full until 180
  sum.change(200, -4);
  CHECK(sum.until(150) == 30);
  CHECK(sum.until(300) == 60);
  sum.change(250, 8);  // empty before
  CHECK(sum.until(260) == 70);
  sum.change(270, -8);
  CHECK(sum.until(1000) == 80);
  sum.clear();
  CHECK(sum.until(1000) == 0);
}

}  // namespace tributary::test_delta_times
