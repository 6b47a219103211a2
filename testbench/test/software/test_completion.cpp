/// When a job is over: at the last of its ranks, whatever the other jobs do.
#include <catch2/catch.hpp>

#include "testbench/run/completion.h"

using namespace tributary;

TEST_CASE("completion: a job is over with its last rank, in whatever order they report", "[pure][completion]") {
  Completion c;
  Tick end = 0;
  c.at_end([&](Tick last) { end = last; });
  c.expect({{0, 5, 7}, {2, 3}});
  CHECK(c.missing() == 5);
  c.done(5, 300);
  c.done(2, 900);
  c.done(7, 700);
  CHECK_FALSE(c.done(0));
  c.done(0, 500);  // the last to report is not the last in time
  CHECK(c.done(0));
  CHECK(c.last(0) == 700);
  CHECK_FALSE(c.done(1));
  CHECK(end == 0);
  c.done(3, 400);
  CHECK(c.all_done());
  CHECK(c.last(1) == 900);
  CHECK(c.last() == 900);
  CHECK(end == 900);
}

TEST_CASE("completion: every rank can be the last", "[pure][completion]") {
  for (unsigned late = 0; late < 3; ++late) {
    Completion c;
    c.expect({{0, 1, 2}});
    for (unsigned gpu = 0; gpu < 3; ++gpu) c.done(gpu, gpu == late ? 1000 : 10 + gpu);
    CHECK(c.last(0) == 1000);
  }
}

TEST_CASE("completion: of two failures the earlier one is told, and a new message forgets them", "[pure][completion]") {
  Completion c("nic");  // endpoints are called as their family calls them
  c.expect(2);
  c.failed(1, 2'000'000, "late");
  c.failed(0, 1'500'000, "early");
  CHECK(c.error(500'000) == "nic0 reports at 1.000us: early");  // from the start of the run
  c.expect(2);
  CHECK(!c.has_failed());
  CHECK(c.last() == 0);
}
