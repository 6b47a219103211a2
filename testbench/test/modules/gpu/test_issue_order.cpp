// Tests the order in which a DMA engine requests blocks: every block once, shuffled within windows
// (docs/systems/klenk.md#issue-order).
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "testbench/test/harness/request_bench.h"

namespace tributary::test_issue_order {

TEST_CASE("a shuffled order is a permutation within each window", "[pure][dma]") {
  const std::uint32_t window = GENERATE(2u, 16u, 100u, 4096u);
  RequestGenerator e(dma_params(window), 0, 1, 0);
  const std::uint64_t count = GENERATE(1u, 99u, 1000u);
  e.submit(request(500, count), 0);
  const std::vector<std::uint64_t> order = issue_all(e);
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
  RequestGenerator e(dma_params(4096), 2, 1, 0);
  e.submit(request(0, 150, 64), 0);
  const std::vector<std::uint64_t> order = issue_all(e);
  REQUIRE(order.size() == 150);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] / 64 == i / 64);
  CHECK(std::set<std::uint64_t>(order.begin(), order.end()).size() == 150);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a shuffle that does not divide the wave covers every block once", "[pure][dma]") {
  RequestGenerator e(dma_params(48), 3, 1, 0);
  e.submit(request(0, 1000, 64), 0);
  const std::vector<std::uint64_t> order = issue_all(e);
  CHECK(order.size() == 1000);
  CHECK(std::set<std::uint64_t>(order.begin(), order.end()).size() == 1000);
}

TEST_CASE("the shuffle depends on GPU, seed and request, and is reproducible", "[pure][dma]") {
  const auto order = [](std::uint64_t seed, std::uint32_t gpu) {
    RequestGenerator e(dma_params(256), 0, seed, gpu);
    e.submit(request(0, 256), 0);
    return issue_all(e);
  };
  const std::vector<std::uint64_t> reference = order(1, 0);
  CHECK(order(1, 0) == reference);
  CHECK(order(1, 1) != reference);
  CHECK(order(2, 0) != reference);
  RequestGenerator e(dma_params(256), 0, 1, 0);
  for (unsigned i = 0; i < 2; ++i) e.submit(request(0, 256), 0);
  const std::vector<std::uint64_t> both = issue_all(e);
  REQUIRE(both.size() == 512);
  CHECK(std::vector<std::uint64_t>(both.begin(), both.begin() + 256) == reference);
  CHECK(std::vector<std::uint64_t>(both.begin() + 256, both.end()) != reference);
  e.reset();
  e.submit(request(0, 256), 0);
  CHECK(issue_all(e) == reference);
}

}  // namespace tributary::test_issue_order
