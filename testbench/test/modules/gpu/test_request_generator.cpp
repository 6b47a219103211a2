// Tests the rules of Klenk Figure 6 (docs/systems/klenk.md#wave-controller): credits, waves, retries.
#include <catch2/catch.hpp>

#include "testbench/test/harness/request_bench.h"

namespace tributary::test_request_generator {

TEST_CASE("a wave may end with one response, regardless of its blocks", "[pure][dma]") {
  RequestGenerator e(dma_params(), 2, 1, 0);
  RequestGenerator::Request r = request(0, 200);
  r.responses_per_wave = 1;
  e.submit(r, 0);
  CHECK(issue(e, 0) == range(0, 128));
  e.arrived(63, 10);
  CHECK(issue(e, 10) == range(128, 64));
  e.arrived(127, 20);
  CHECK(issue(e, 20) == range(192, 8));
  e.arrived(199, 30);
  CHECK_FALSE(e.idle());
  e.arrived(191, 40);
  CHECK(e.idle());
}

TEST_CASE("a request gets the credits of as many waves as there are counters", "[pure][dma]") {
  RequestGenerator e(dma_params(), 4, 1, 0);
  CHECK_FALSE(e.ready());
  e.submit(request(1000, 640), 0);
  CHECK(issue(e, 0) == range(1000, 4 * 64));
  CHECK_FALSE(e.ready());  // no credits are left
  CHECK(e.retry_at() == never);
  for (std::uint64_t b = 1000; b < 1063; ++b) e.arrived(b, 10);
  CHECK_FALSE(e.ready());
  e.arrived(1063, 20);
  CHECK(issue(e, 20) == range(1256, 64));  // the credits of one wave have returned
  CHECK_FALSE(e.ready());
}

TEST_CASE("waves end in any order, and each one starts the next", "[pure][dma]") {
  RequestGenerator e(dma_params(), 2, 1, 0);
  e.submit(request(0, 20, 4), 0);
  issue(e, 0);
  for (std::uint64_t b = 4; b < 8; ++b) e.arrived(b, 1);
  CHECK(issue(e, 1) == range(8, 4));
  for (std::uint64_t b = 8; b < 12; ++b) e.arrived(b, 2);
  CHECK(issue(e, 2) == range(12, 4));
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 3);
  CHECK(issue(e, 3) == range(16, 4));
  for (std::uint64_t b = 12; b < 20; ++b) e.arrived(b, 4);
  CHECK(e.idle());
  CHECK(e.waiting().empty());
}

TEST_CASE("the last wave has only the remaining blocks", "[pure][dma]") {
  RequestGenerator e(dma_params(), 16, 1, 0);
  e.submit(request(0, 70), 0);
  CHECK(issue(e, 0).size() == 70);
  for (std::uint64_t b = 0; b < 70; ++b) {
    CHECK_FALSE(e.idle());
    e.arrived(b, 1);
  }
  CHECK(e.idle());
}

TEST_CASE("requests run in sequence, and share the counters", "[pure][dma]") {
  RequestGenerator e(dma_params(), 2, 1, 0);
  e.submit(request(0, 4, 4, 11), 0);
  e.submit(request(100, 8, 4, 22), 0);
  CHECK(e.tag() == 11);
  CHECK(issue(e, 0, 4) == range(0, 4));
  CHECK(e.tag() == 22);
  CHECK(issue(e, 0) == range(100, 4));  // the other counter
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 1, 1, 0, 11);
  CHECK(issue(e, 1) == range(104, 4));
}

TEST_CASE("a request without a counter tries again after the delay", "[pure][dma]") {
  RequestGenerator e(dma_params(), 1, 1, 0);
  e.submit(request(0, 4, 4), 0);
  issue(e, 1000);
  e.submit(request(100, 4, 4), 1000);
  CHECK_FALSE(e.ready());
  CHECK(e.retry_at() == 101'000);
  e.retry(101'000);
  CHECK_FALSE(e.ready());
  CHECK(e.retry_at() == 201'000);
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 150'000);
  CHECK_FALSE(e.ready());  // it tries when its delay has passed, not before
  e.retry(201'000);
  CHECK(e.ready());
  CHECK(e.retry_at() == never);
  CHECK(issue(e, 201'000) == range(100, 4));
  CHECK(e.error().empty());
}

TEST_CASE("after the limit of tries the engine reports an error", "[pure][dma]") {
  RequestGenerator e(dma_params(0, 3), 1, 1, 0);
  e.submit(request(0, 4, 4), 0);
  issue(e, 0);
  e.submit(request(100, 4, 4), 0);
  for (unsigned i = 1; i <= 3; ++i) {
    CHECK(e.error().empty());
    REQUIRE(e.retry_at() == i * 100'000);
    e.retry(i * 100'000);
  }
  CHECK(e.error() == "dma: no free wave counter after 3 tries");
  CHECK(e.retry_at() == never);
}

TEST_CASE("the last try may still get a counter", "[pure][dma]") {
  RequestGenerator e(dma_params(0, 1), 1, 1, 0);
  e.submit(request(0, 4, 4), 0);
  issue(e, 0);
  e.submit(request(100, 4, 4), 0);
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 50'000);
  e.retry(100'000);
  CHECK(e.error().empty());
  CHECK(e.ready());
}

TEST_CASE("every waiting request has its own count of tries", "[pure][dma]") {
  RequestGenerator e(dma_params(0, 2), 1, 1, 0);
  Tick now = 0;
  e.submit(request(0, 4, 4), now);
  for (std::uint64_t r = 1; r <= 5; ++r) {
    issue(e, now);
    e.submit(request(r * 100, 4, 4), now);
    e.retry(now += 100'000);  // one failed try
    for (std::uint64_t b = 0; b < 4; ++b) e.arrived((r - 1) * 100 + b, now);
    e.retry(now += 100'000);
    CHECK(e.error().empty());
  }
}

TEST_CASE("requests without counters or without waves are unlimited", "[pure][dma]") {
  RequestGenerator none(dma_params(), 0, 1, 0);
  none.submit(request(0, 1000), 0);
  CHECK(issue(none, 0) == range(0, 1000));
  none.arrived(5, 1);  // no counter
  CHECK(none.idle());
  RequestGenerator e(dma_params(), 1, 1, 0);
  RequestGenerator::Request free = request(0, 1000);
  free.waves = false;
  e.submit(free, 0);
  CHECK(issue(e, 0).size() == 1000);
  CHECK(e.idle());
}

TEST_CASE("blocks without a response complete as they are issued", "[pure][dma]") {
  RequestGenerator e(dma_params(), 1, 1, 0);
  RequestGenerator::Request r = request(0, 1000);
  r.responses_per_block = 0;
  e.submit(r, 0);
  CHECK(issue(e, 0).size() == 1000);
  CHECK(e.idle());
}

TEST_CASE("with several responses per block, the last of them ends the wave", "[pure][dma]") {
  RequestGenerator e(dma_params(), 1, 1, 0);
  RequestGenerator::Request r = request(0, 4, 2);
  r.responses_per_block = 3;
  e.submit(r, 0);
  CHECK(issue(e, 0) == range(0, 2));
  for (unsigned i = 0; i < 5; ++i) e.arrived(i % 2, 1);
  CHECK_FALSE(e.ready());
  e.arrived(1, 2);
  CHECK(issue(e, 2) == range(2, 2));
}

TEST_CASE("waiting() names pending requests", "[pure][dma]") {
  RequestGenerator e(dma_params(), 1, 1, 0);
  e.submit(request(0, 8, 4), 0);
  issue(e, 0, 3);
  CHECK(e.waiting() ==
        std::vector<std::string>{"dma.wave0: 0 of 4 responses for blocks 0 to 3", "dma: 3 of 8 blocks issued, 1 credits"});
  e.reset();
  CHECK(e.idle());
  CHECK(e.waiting().empty());
}

TEST_CASE("acks of a multicast do not count as responses to a following request in segments", "[pure][dma]") {
  RequestGenerator e(dma_params(), 1, 1, 0);
  RequestGenerator::Request flag = request(0, 1, 1, 0);
  flag.responses_per_block = 3;
  e.submit(flag, 0);
  CHECK(issue(e, 0) == range(0, 1));
  RequestGenerator::Request segments = request(0, 4, 2, 1);
  segments.segment_blocks = 2;
  e.submit(segments, 0);
  CHECK(issue(e, 0) == range(0, 2));
  e.arrived(0, 10, 3, 0, 0);  // the acks must not end the segment
  CHECK(e.retry_at() == never);
  e.arrived(0, 20, 1, 0, 1);
  CHECK(e.retry_at() == never);
  e.arrived(1, 30, 1, 0, 1);
  CHECK(e.retry_at() == 30 + 172'800);
  e.retry(30 + 172'800);
  CHECK(issue(e, 30 + 172'800) == range(2, 2));
  e.arrived(2, 300'000, 1, 0, 1);
  e.arrived(3, 300'000, 1, 0, 1);
  CHECK(e.idle());
}

}  // namespace tributary::test_request_generator
