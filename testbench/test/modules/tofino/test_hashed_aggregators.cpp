#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "modules/tofino/core/hashed_aggregators.h"

namespace tributary::test_hashed_aggregators {

using Answer = AggregatorTransaction::Answer;
using Command = AggregatorTransaction::Command;

namespace {

struct Bench {
  HashedAggregators aggregators{{4, 1, true}};

  AggregatorTransaction add(std::uint32_t chunk, std::uint16_t rank, std::int32_t value, bool resent = false,
                            std::uint16_t job = 0) {
    AggregatorTransaction t;
    t.chunk = chunk;
    t.aggregator = chunk % 4;
    t.job = job;
    t.rank = rank;
    t.workers = 3;
    t.count = 1;
    t.values = &value;
    t.resent = resent;
    aggregators.access(t);
    return t;
  }
  Answer free(std::uint32_t chunk, std::uint16_t job = 0) {
    AggregatorTransaction t;
    t.command = Command::free;
    t.chunk = chunk;
    t.aggregator = chunk % 4;
    t.job = job;
    aggregators.access(t);
    return t.answer;
  }
};

}  // namespace

TEST_CASE("Aggregators: a chunk is added, sent to the server, and freed by its result", "[pure]") {
  Bench b;
  CHECK(b.add(1, 0, 5).answer == Answer::stored);
  CHECK(b.add(1, 1, 6).answer == Answer::stored);
  CHECK(b.add(1, 1, 6).answer == Answer::repeated);
  CHECK(b.aggregators.waiting() ==
        std::vector<std::string>{"aggregator 1, job 0, chunk 1: 2 of 3 workers, missing worker 2"});
  const auto last = b.add(1, 2, 7);
  REQUIRE(last.answer == Answer::completed);
  CHECK(last.sum[0] == 18);
  CHECK(last.contributors == 7);
  CHECK_FALSE(last.overflow);
  CHECK_FALSE(last.forward);
  CHECK(b.aggregators.taken() == 1);
  CHECK(b.free(5) == Answer::nothing);
  CHECK(b.free(1) == Answer::freed);
  CHECK(b.aggregators.taken() == 0);
  CHECK(b.add(1, 0, 5).answer == Answer::passed);  // late: does not occupy the aggregator
  CHECK(b.add(5, 0, 1).answer == Answer::stored);
}

TEST_CASE("Aggregators: another chunk at the same aggregator goes to the server", "[pure]") {
  Bench b;
  b.add(1, 0, 5);
  const auto other = b.add(5, 0, 9);
  CHECK(other.answer == Answer::collided);
  CHECK(other.forward);
  CHECK(b.add(1, 0, 5, false, 1).answer == Answer::collided);  // chunk of another job
  CHECK(b.add(1, 1, 5).answer == Answer::stored);
}

TEST_CASE("Aggregators: a resent packet flushes the partial sum", "[pure]") {
  Bench b;
  b.add(1, 0, 5);
  b.add(1, 1, 6);
  const auto own = b.add(1, 0, 5, true);
  REQUIRE(own.answer == Answer::flushed);
  CHECK(own.contributors == 3);
  CHECK(own.sum[0] == 11);
  CHECK_FALSE(own.forward);  // the packet is already in the sum
  CHECK(b.aggregators.taken() == 0);
  CHECK(b.add(1, 1, 6, true).answer == Answer::passed);
  CHECK(b.add(1, 2, 7).answer == Answer::passed);
  b.add(2, 0, 1);
  const auto missing = b.add(2, 2, 1, true);
  CHECK(missing.answer == Answer::flushed);
  CHECK(missing.contributors == 1);
  CHECK(missing.forward);
  const auto never_seen = b.add(3, 0, 1, true);
  CHECK(never_seen.answer == Answer::passed);
  CHECK(never_seen.forward);
}

TEST_CASE("Aggregators: a sum that exceeds 32 bits is marked", "[pure]") {
  Bench b;
  b.add(1, 0, 2147483647);
  b.add(1, 1, 1);
  CHECK(b.add(1, 2, 0).overflow);
}

TEST_CASE("Aggregators: indices of chunks", "[pure]") {
  std::set<std::uint32_t> of_a_job, hashed;
  for (std::uint32_t chunk = 0; chunk < 1000; ++chunk) {
    of_a_job.insert(HashedAggregators::index_of(AggregatorIndex::job, 3, chunk, 1000));
    hashed.insert(HashedAggregators::index_of(AggregatorIndex::chunk, 3, chunk, 1000));
  }
  CHECK(of_a_job.size() == 1000);
  CHECK(hashed.size() == Approx(632).margin(40));  // 1 - 1/e
  CHECK(HashedAggregators::index_of(AggregatorIndex::job, 3, 0, 1000) !=
        HashedAggregators::index_of(AggregatorIndex::job, 4, 0, 1000));
}

}  // namespace tributary::test_hashed_aggregators
