#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "modules/tofino/core/aggregation_pool.h"

namespace tributary::test_aggregation_pool {

using Answer = PoolTransaction::Answer;

namespace {

struct Bench {
  explicit Bench(unsigned workers) : pool({4, workers, 2, true}) {}

  PoolTransaction send(std::uint32_t slot, bool version, std::uint16_t rank, std::vector<std::int32_t> values,
                       std::int16_t exponent = 0) {
    PoolTransaction t;
    t.slot = slot;
    t.version = version;
    t.rank = rank;
    t.exponent = exponent;
    t.count = static_cast<std::uint16_t>(values.size());
    t.values = values.data();
    pool.access(t);
    return t;
  }
  AggregationPool pool;
};

}  // namespace

TEST_CASE("Pool: the last worker's packet completes the sum, with the largest exponent", "[pure]") {
  Bench b(3);
  CHECK(b.send(1, false, 0, {1, 10}, -4).answer == Answer::stored);
  CHECK(b.send(1, false, 2, {2, 20}, 7).answer == Answer::stored);
  CHECK(b.pool.counting() == 1);
  CHECK(b.pool.waiting() == std::vector<std::string>{"slot 1, version 0, packet 0: 2 of 3 workers, missing worker 1"});
  const auto last = b.send(1, false, 1, {4, 40}, 3);
  REQUIRE(last.answer == Answer::completed);
  CHECK(last.sum[0] == 7);
  CHECK(last.sum[1] == 70);
  CHECK(last.largest_exponent == 7);
  CHECK(b.pool.counting() == 0);
  CHECK(b.pool.waiting().empty());
}

TEST_CASE("Pool: a repeated update is not added again", "[pure]") {
  Bench b(2);
  b.send(0, false, 0, {1, 1});
  CHECK(b.send(0, false, 0, {1, 1}).answer == Answer::dropped);
  const auto done = b.send(0, false, 1, {1, 1});
  CHECK(done.answer == Answer::completed);
  CHECK(done.sum[0] == 2);
}

TEST_CASE("Pool: a worker that lost the sum gets it again, even while others fill the next version", "[pure]") {
  Bench b(2);
  b.send(0, false, 0, {1, 2});
  b.send(0, false, 1, {3, 4});
  // Worker 0 has the sum and continues; worker 1 does not have it.
  CHECK(b.send(0, true, 0, {100, 100}).answer == Answer::stored);
  const auto again = b.send(0, false, 1, {3, 4});
  REQUIRE(again.answer == Answer::answered);
  CHECK(again.sum[0] == 4);
  CHECK(again.sum[1] == 6);
  const auto next = b.send(0, true, 1, {1, 1});
  REQUIRE(next.answer == Answer::completed);
  CHECK(next.sum[0] == 101);
  // The first version is used again.
  CHECK(b.send(0, false, 1, {7, 7}).answer == Answer::stored);
  const auto third = b.send(0, false, 0, {5, 5});
  CHECK(third.answer == Answer::completed);
  CHECK(third.sum[1] == 12);
}

TEST_CASE("Pool: a single worker, and invalid packets", "[pure]") {
  Bench alone(1);
  for (int round = 0; round < 4; ++round) {
    const auto t = alone.send(0, round % 2 != 0, 0, {round, 1});
    CHECK(t.answer == Answer::completed);
    CHECK(t.sum[0] == round);
  }
  Bench b(2);
  CHECK(b.send(4, false, 0, {1, 1}).answer == Answer::refused);
  CHECK(b.send(0, false, 2, {1, 1}).answer == Answer::refused);
  CHECK(b.send(0, false, 0, {1, 1, 1}).answer == Answer::refused);
  b.send(0, false, 0, {1});
  CHECK(b.send(0, false, 1, {1, 1}).answer == Answer::refused);
  b.pool.reset();
  CHECK(b.pool.waiting().empty());
  CHECK_THROWS_AS(AggregationPool({4, 65, 2, true}), std::invalid_argument);
  CHECK_THROWS_AS(AggregationPool({0, 4, 2, true}), std::invalid_argument);
  CHECK(AggregationPool({8192, 6, 32, false}).value_bytes() == 8192u * 2 * 128);
}

}  // namespace tributary::test_aggregation_pool
