// Rules of Klenk Figure 6 (docs/systems/klenk.md#wave-controller): credits, waves, retries, order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "modules/gpu/core/request_generator.h"

using namespace tributary;

namespace {

DmaParams params(std::uint32_t shuffle = 0, std::uint32_t retry_limit = 0) {
  DmaParams p;
  p.issue_order.window = shuffle;
  p.retry_delay = 100_ns;
  p.retry_limit = retry_limit;
  return p;
}
RequestGenerator::Request request(std::uint64_t first, std::uint64_t count, std::uint32_t wave = 64, std::uint32_t tag = 0) {
  RequestGenerator::Request r;
  r.first_block = first;
  r.block_count = count;
  r.wave_blocks = wave;
  r.tag = tag;
  return r;
}
/// Issues all that there is credit for.
std::vector<std::uint64_t> issue(RequestGenerator& e, Tick now, std::size_t most = ~std::size_t{0}) {
  std::vector<std::uint64_t> blocks;
  while (e.ready() && blocks.size() < most) {
    blocks.push_back(e.next_block());
    e.issued(now);
  }
  return blocks;
}
std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> r;
  for (std::uint64_t i = 0; i < count; ++i) r.push_back(first + i);
  return r;
}
/// Issues everything, each block answered at once.
std::vector<std::uint64_t> run(RequestGenerator& e) {
  std::vector<std::uint64_t> order;
  for (Tick now = 0; e.ready(); ++now) {
    order.push_back(e.next_block());
    e.issued(now);
    e.arrived(order.back(), now);
  }
  return order;
}

}  // namespace

TEST_CASE("a wave may end with one response, whatever its blocks", "[pure][dma]") {
  RequestGenerator e(params(), 2, 1, 0);
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
  RequestGenerator e(params(), 4, 1, 0);
  CHECK_FALSE(e.ready());
  e.submit(request(1000, 640), 0);
  CHECK(issue(e, 0) == range(1000, 4 * 64));
  CHECK_FALSE(e.ready());  // credits are withheld
  CHECK(e.retry_at() == never);
  for (std::uint64_t b = 1000; b < 1063; ++b) e.arrived(b, 10);
  CHECK_FALSE(e.ready());
  e.arrived(1063, 20);
  CHECK(issue(e, 20) == range(1256, 64));  // the credits of one wave are back
  CHECK_FALSE(e.ready());
}

TEST_CASE("waves end in any order, each one starts the next", "[pure][dma]") {
  RequestGenerator e(params(), 2, 1, 0);
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

TEST_CASE("the last wave is as short as what is left", "[pure][dma]") {
  RequestGenerator e(params(), 16, 1, 0);
  e.submit(request(0, 70), 0);
  CHECK(issue(e, 0).size() == 70);
  for (std::uint64_t b = 0; b < 70; ++b) {
    CHECK_FALSE(e.idle());
    e.arrived(b, 1);
  }
  CHECK(e.idle());
}

TEST_CASE("requests follow each other, and share the counters", "[pure][dma]") {
  RequestGenerator e(params(), 2, 1, 0);
  e.submit(request(0, 4, 4, 11), 0);
  e.submit(request(100, 8, 4, 22), 0);
  CHECK(e.tag() == 11);
  CHECK(issue(e, 0, 4) == range(0, 4));
  CHECK(e.tag() == 22);
  CHECK(issue(e, 0) == range(100, 4));  // the other counter
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 1, 1, 0, 11);
  CHECK(issue(e, 1) == range(104, 4));
}

TEST_CASE("a request that finds no counter tries again after the delay", "[pure][dma]") {
  RequestGenerator e(params(), 1, 1, 0);
  e.submit(request(0, 4, 4), 0);
  issue(e, 1000);
  e.submit(request(100, 4, 4), 1000);
  CHECK_FALSE(e.ready());
  CHECK(e.retry_at() == 101'000);
  e.retry(101'000);
  CHECK_FALSE(e.ready());
  CHECK(e.retry_at() == 201'000);
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 150'000);
  CHECK_FALSE(e.ready());  // it asks when its time has come, not before
  e.retry(201'000);
  CHECK(e.ready());
  CHECK(e.retry_at() == never);
  CHECK(issue(e, 201'000) == range(100, 4));
  CHECK(e.error().empty());
}

TEST_CASE("after the limit of tries the engine reports an error", "[pure][dma]") {
  RequestGenerator e(params(0, 3), 1, 1, 0);
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

TEST_CASE("the last try still takes a counter that has become free", "[pure][dma]") {
  RequestGenerator e(params(0, 1), 1, 1, 0);
  e.submit(request(0, 4, 4), 0);
  issue(e, 0);
  e.submit(request(100, 4, 4), 0);
  for (std::uint64_t b = 0; b < 4; ++b) e.arrived(b, 50'000);
  e.retry(100'000);
  CHECK(e.error().empty());
  CHECK(e.ready());
}

TEST_CASE("tries count anew for every request that waits", "[pure][dma]") {
  RequestGenerator e(params(0, 2), 1, 1, 0);
  Tick now = 0;
  e.submit(request(0, 4, 4), now);
  for (std::uint64_t r = 1; r <= 5; ++r) {
    issue(e, now);
    e.submit(request(r * 100, 4, 4), now);
    e.retry(now += 100'000);  // one try in vain
    for (std::uint64_t b = 0; b < 4; ++b) e.arrived((r - 1) * 100 + b, now);
    e.retry(now += 100'000);
    CHECK(e.error().empty());
  }
}

TEST_CASE("without counters, or for requests without waves, there is no limit", "[pure][dma]") {
  RequestGenerator none(params(), 0, 1, 0);
  none.submit(request(0, 1000), 0);
  CHECK(issue(none, 0) == range(0, 1000));
  none.arrived(5, 1);  // no counter
  CHECK(none.idle());
  RequestGenerator e(params(), 1, 1, 0);
  RequestGenerator::Request free = request(0, 1000);
  free.waves = false;
  e.submit(free, 0);
  CHECK(issue(e, 0).size() == 1000);
  CHECK(e.idle());
}

TEST_CASE("blocks without a response complete as they are issued", "[pure][dma]") {
  RequestGenerator e(params(), 1, 1, 0);
  RequestGenerator::Request r = request(0, 1000);
  r.responses_per_block = 0;
  e.submit(r, 0);
  CHECK(issue(e, 0).size() == 1000);
  CHECK(e.idle());
}

TEST_CASE("several responses per block: all of them end the wave", "[pure][dma]") {
  RequestGenerator e(params(), 1, 1, 0);
  RequestGenerator::Request r = request(0, 4, 2);
  r.responses_per_block = 3;
  e.submit(r, 0);
  CHECK(issue(e, 0) == range(0, 2));
  for (unsigned i = 0; i < 5; ++i) e.arrived(i % 2, 1);
  CHECK_FALSE(e.ready());
  e.arrived(1, 2);
  CHECK(issue(e, 2) == range(2, 2));
}

TEST_CASE("a shuffled order is a permutation within each window", "[pure][dma]") {
  const std::uint32_t window = GENERATE(2u, 16u, 100u, 4096u);
  RequestGenerator e(params(window), 0, 1, 0);
  const std::uint64_t count = GENERATE(1u, 99u, 1000u);
  e.submit(request(500, count), 0);
  const std::vector<std::uint64_t> order = run(e);
  REQUIRE(order.size() == count);
  for (std::uint64_t start = 0; start < count; start += window) {
    const std::uint64_t n = std::min<std::uint64_t>(window, count - start);
    std::vector<std::uint64_t> part(order.begin() + static_cast<std::ptrdiff_t>(start),
                                    order.begin() + static_cast<std::ptrdiff_t>(start + n));
    std::sort(part.begin(), part.end());
    CHECK(part == range(500 + start, n));
  }
  if (window > 2 && count > 90) CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("within limited waves the shuffle stays inside each wave", "[pure][dma]") {
  RequestGenerator e(params(4096), 2, 1, 0);
  e.submit(request(0, 150, 64), 0);
  const std::vector<std::uint64_t> order = run(e);
  REQUIRE(order.size() == 150);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] / 64 == i / 64);
  CHECK(std::set<std::uint64_t>(order.begin(), order.end()).size() == 150);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a shuffle that does not divide the wave covers every block once", "[pure][dma]") {
  RequestGenerator e(params(48), 3, 1, 0);
  e.submit(request(0, 1000, 64), 0);
  const std::vector<std::uint64_t> order = run(e);
  CHECK(order.size() == 1000);
  CHECK(std::set<std::uint64_t>(order.begin(), order.end()).size() == 1000);
}

TEST_CASE("every GPU, seed and request shuffles on its own, the same ones alike", "[pure][dma]") {
  const auto order = [](std::uint64_t seed, std::uint32_t gpu) {
    RequestGenerator e(params(256), 0, seed, gpu);
    e.submit(request(0, 256), 0);
    return run(e);
  };
  const std::vector<std::uint64_t> reference = order(1, 0);
  CHECK(order(1, 0) == reference);
  CHECK(order(1, 1) != reference);
  CHECK(order(2, 0) != reference);
  RequestGenerator e(params(256), 0, 1, 0);
  for (unsigned i = 0; i < 2; ++i) e.submit(request(0, 256), 0);
  const std::vector<std::uint64_t> both = run(e);
  REQUIRE(both.size() == 512);
  CHECK(std::vector<std::uint64_t>(both.begin(), both.begin() + 256) == reference);
  CHECK(std::vector<std::uint64_t>(both.begin() + 256, both.end()) != reference);
  e.reset();
  e.submit(request(0, 256), 0);
  CHECK(run(e) == reference);
}

TEST_CASE("what waits is told", "[pure][dma]") {
  RequestGenerator e(params(), 1, 1, 0);
  e.submit(request(0, 8, 4), 0);
  issue(e, 0, 3);
  CHECK(e.waiting() ==
        std::vector<std::string>{"dma.wave0: 0 of 4 responses for blocks 0 to 3", "dma: 3 of 8 blocks issued, 1 credits"});
  e.reset();
  CHECK(e.idle());
  CHECK(e.waiting().empty());
}

TEST_CASE("acks of a multicast are no responses to a request in segments that follows it", "[pure][dma]") {
  RequestGenerator e(params(), 1, 1, 0);
  RequestGenerator::Request flag = request(0, 1, 1, 0);
  flag.responses_per_block = 3;
  e.submit(flag, 0);
  CHECK(issue(e, 0) == range(0, 1));
  RequestGenerator::Request segments = request(0, 4, 2, 1);
  segments.segment_blocks = 2;
  e.submit(segments, 0);
  CHECK(issue(e, 0) == range(0, 2));
  e.arrived(0, 10, 3, 0, 0);  // the acks: they must not end the segment
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
