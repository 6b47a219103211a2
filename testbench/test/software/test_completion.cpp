/// The end of a job: with the last of its ranks, independent of the other jobs.
#include <catch2/catch.hpp>

#include "testbench/run/completion.h"

namespace tributary::test_completion {

TEST_CASE("completion: a job ends with its last rank in any order of reports", "[pure][completion]") {
  Completion c;
  Tick end = 0;
  c.at_end([&](Tick last) { end = last; });
  c.expect({{0, 5, 7}, {2, 3}});
  CHECK(c.missing() == 5);
  c.done(5, 300);
  c.done(2, 900);
  c.done(7, 700);
  CHECK_FALSE(c.done(0));
  c.done(0, 500);  // the last to report did not end last
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

TEST_CASE("completion: the earlier of two failures is reported, and a new message forgets both", "[pure][completion]") {
  Completion c("nic");  // endpoints have the names of their family
  c.expect(2);
  c.failed(1, 2'000'000, "late");
  c.failed(0, 1'500'000, "early");
  CHECK(c.error(500'000) == "nic0 reports at 1.000us: early");  // relative to the start of the run
  c.expect(2);
  CHECK(!c.has_failed());
  CHECK(c.last() == 0);
}

}  // namespace tributary::test_completion
