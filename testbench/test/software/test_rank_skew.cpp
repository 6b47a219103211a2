// Delays of ranks (docs/jobs.md#late-ranks).
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "testbench/workload/input_error.h"
#include "testbench/workload/rank_skew.h"

namespace tributary::test_rank_skew {

using Catch::Matchers::Contains;

TEST_CASE("skew: random delays fill their range, and depend on seed, job and iteration", "[pure][jobs]") {
  const RankSkew skew = parse_skew("100us", 64, 1000_ms);
  CHECK((skew.each.empty() && skew.longest() == 100_us && skew.text() == "100us"));
  std::vector<Tick> delays;
  for (std::size_t r = 0; r < 64; ++r) delays.push_back(skew.delay(r, 1, 0, 0).value);
  CHECK(*std::min_element(delays.begin(), delays.end()) < 10'000'000);
  CHECK(*std::max_element(delays.begin(), delays.end()) > 90'000'000);
  CHECK(*std::max_element(delays.begin(), delays.end()) <= 100'000'000);
  const std::set<Tick> others{skew.delay(0, 1, 0, 0).value, skew.delay(0, 2, 0, 0).value, skew.delay(0, 1, 1, 0).value,
                              skew.delay(0, 1, 0, 1).value, skew.delay(1, 1, 0, 0).value};
  CHECK(others.size() == 5);
  CHECK(RankSkew{}.none());
  CHECK(RankSkew{}.delay(3, 1, 0, 0) == 0_ps);
}

TEST_CASE("skew: a list names a time for each rank", "[pure][jobs]") {
  const RankSkew skew = parse_skew("0us,5us,20us", 3, 1000_ms);
  CHECK((skew.delay(0, 1, 0, 0) == 0_ps && skew.delay(1, 9, 3, 7) == 5_us && skew.delay(2, 1, 0, 0) == 20_us));
  CHECK(skew.longest() == 20_us);
  CHECK(parse_skew(skew.text(), 3, 1000_ms).each == skew.each);
  CHECK_THROWS_WITH(parse_skew("0us,5us", 3, 1000_ms), Contains("has 2 times for 3 ranks"));
  CHECK_THROWS_WITH(parse_skew("5us,", 1, 1000_ms), Contains("legal: one time"));
  CHECK_THROWS_WITH(parse_skew("", 3, 1000_ms), Contains("has 0 times"));
  CHECK_THROWS_WITH(parse_skew("2s", 3, 1000_ms), Contains("too late"));
  CHECK_THROWS_AS(parse_skew("5,6,7", 3, 1000_ms), std::exception);
}

}  // namespace tributary::test_rank_skew
