// Tests the pull rules of docs/systems/klenk.md#pull: allocate or refuse, key (requester, address), miss and bypass.
#include <catch2/catch.hpp>

#include "testbench/test/harness/table_bench.h"

namespace tributary::test_reduction_table_pull {

using Answer = TableBench::Answer;

TEST_CASE("a pull allocates an entry, its responses are reduced, and one leaves", "[pure][reduction_table]") {
  TableBench b(2);
  CHECK(b.allocate(9, 4, 3, true, 10).answer == Answer::inserted);
  CHECK(b.table.occupancy() == 1);
  CHECK(b.collect(b.operand(9, 1u), 4, 20).answer == Answer::merged);
  CHECK(b.collect(b.operand(9, 2u), 4, 30).answer == Answer::merged);
  const TableTransaction t = b.collect(b.operand(9, 4u), 4, 40);
  REQUIRE(t.answer == Answer::completed);
  CHECK(t.count == 3);
  for (const std::uint32_t lane : b.take(t.result)) CHECK(lane == 7);
  b.finish(50);
  CHECK(b.table.occupancy() == 0);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("a pull without a free entry is refused until one is finished", "[pure][reduction_table]") {
  TableBench b(1);
  b.allocate(1, 0, 2, true, 10);
  CHECK(b.allocate(2, 0, 2, true, 20).answer == Answer::refused);
  CHECK(b.allocate(2, 0, 2, false, 20).answer == Answer::refused);
  b.collect(b.operand(1, 1u), 0, 30);
  b.take(b.collect(b.operand(1, 1u), 0, 40).result);
  CHECK(b.allocate(2, 0, 2, true, 45).answer == Answer::refused);  // its last flit has not passed yet
  b.finish(50);
  CHECK(b.allocate(2, 0, 2, true, 60).answer == Answer::inserted);
}

TEST_CASE("refusals count as stalls at the first hop and as misses at later hops", "[pure][reduction_table]") {
  TableBench b(1);
  unsigned stalls = 0, misses = 0;
  const auto count = [](void* n, Tick, std::uint64_t) { ++*static_cast<unsigned*>(n); };
  b.table.stalls.attach(&stalls, count);
  b.table.misses.attach(&misses, count);
  b.allocate(1, 0, 2, true, 10);
  b.allocate(2, 0, 2, true, 20);
  CHECK((stalls == 1 && misses == 0));
  b.allocate(2, 0, 2, false, 30);
  CHECK((stalls == 1 && misses == 1));
}

TEST_CASE("two requesters of one address have an entry each", "[pure][reduction_table]") {
  TableBench b(2);
  b.allocate(9, 1, 2, true, 10);
  b.allocate(9, 2, 2, true, 10);
  b.collect(b.operand(9, 10u), 1, 20);
  b.collect(b.operand(9, 1u), 2, 20);
  CHECK(b.take(b.collect(b.operand(9, 2u), 2, 30).result)[0] == 3);
  b.finish(35);
  CHECK(b.take(b.collect(b.operand(9, 20u), 1, 40).result)[0] == 30);
}

TEST_CASE("a response without an entry is a miss, and the caller keeps it", "[pure][reduction_table]") {
  TableBench b(2);
  b.allocate(9, 1, 2, true, 10);
  for (const auto& [block, requester] : {std::pair{8u, 1u}, std::pair{9u, 2u}}) {
    Packet* response = b.operand(block, 5u);
    const TableTransaction t = b.collect(response, requester, 20);
    CHECK(t.answer == Answer::missed);
    CHECK(response->references() == 1);
    CHECK(b.take(response)[0] == 5);
  }
  // Push entries and pull entries do not match each other.
  b.push(b.operand(7, 1u), 2, 30);
  Packet* response = b.operand(7, 1u);
  CHECK(b.collect(response, 0xFFFE, 40).answer == Answer::missed);
  response->release();
}

TEST_CASE("partial sums of a subtree count for all their operands", "[pure][reduction_table]") {
  // 16 GPUs on two boards: 7 single responses of the own board, and the other board's 8 in two partial sums
  // (docs/systems/klenk.md#region-tables).
  TableBench b(1);
  b.allocate(3, 0, 15, true, 0);
  CHECK(b.collect(b.operand(3, 1u, 5), 0, 10).answer == Answer::merged);
  for (unsigned i = 0; i < 7; ++i) CHECK(b.collect(b.operand(3, 1u), 0, 20 + i).answer == Answer::merged);
  const TableTransaction t = b.collect(b.operand(3, 1u, 3), 0, 30);
  REQUIRE(t.answer == Answer::completed);
  CHECK(t.count == 15);
  CHECK(b.take(t.result)[0] == 9);
}

TEST_CASE("a packet that holds all operands completes immediately", "[pure][reduction_table]") {
  TableBench b(1);
  b.allocate(3, 0, 8, true, 0);
  const TableTransaction t = b.collect(b.operand(3, 42u, 8), 0, 10);
  REQUIRE(t.answer == Answer::completed);
  CHECK(b.take(t.result)[0] == 42);
}

TEST_CASE("push never evicts pull entries, and neither do timeouts", "[pure][reduction_table]") {
  TableBench b(2, 1000);
  b.allocate(1, 0, 2, true, 10);
  b.push(b.operand(2, 2u), 2, 20);
  const TableTransaction t = b.push(b.operand(3, 3u), 2, 30);  // the pull entry is older, and stays
  CHECK(TableBench::block_of(t.evicted) == 2);
  b.take(t.evicted);
  const TableTransaction expired = b.expire(1'000'000);
  CHECK(TableBench::block_of(expired.evicted) == 3);
  CHECK(expired.next_timeout == never);
  b.take(expired.evicted);
  CHECK(b.expire(2'000'000).answer == Answer::nothing);
  CHECK(b.table.occupancy() == 1);
}

TEST_CASE("an operand of a push bypasses the table if all entries belong to pulls", "[pure][reduction_table]") {
  TableBench b(2);
  b.allocate(1, 0, 2, true, 10);
  b.allocate(1, 1, 2, true, 10);
  Packet* operand = b.operand(2, 7u);
  const TableTransaction t = b.push(operand, 2, 20);
  CHECK(t.answer == Answer::bypassed);
  CHECK(t.evicted == nullptr);
  CHECK(b.take(operand)[0] == 7);
  CHECK(b.table.occupancy() == 2);
}

TEST_CASE("an entry that is being emptied is not evicted", "[pure][reduction_table]") {
  TableBench b(1);
  b.push(b.operand(1, 1u), 2, 10);
  b.take(b.push(b.operand(1, 1u), 2, 20).result);
  Packet* operand = b.operand(2, 7u);
  CHECK(b.push(operand, 2, 25).answer == Answer::bypassed);
  b.finish(30);
  CHECK(b.push(operand, 2, 35).answer == Answer::inserted);
}

TEST_CASE("waiting() names each entry with its counts", "[pure][reduction_table]") {
  TableBench b(2);
  b.push(b.operand(5, 1u), 16, 10);
  b.allocate(6, 3, 15, true, 10);
  const std::vector<std::string> lines = b.table.waiting();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "block 5 has 1 of 16 operands @10");
  CHECK(lines[1] == "block 6 has 0 of 15 operands for gpu3 @10");
}

}  // namespace tributary::test_reduction_table_pull
