// Tests reduction in rank order: operands are stored, 128 B each, and added when all have arrived
// (docs/blocks/reduction_table.md).
#include <catch2/catch.hpp>

#include "testbench/test/harness/table_bench.h"

namespace tributary::test_reduction_table_ordered {

using Answer = TableBench::Answer;

namespace {

struct OrderedBench : TableBench {
  explicit OrderedBench(unsigned entries) : TableBench(entries, 1000, true) {}
  Packet* from(unsigned rank, std::uint64_t block, float lane) {
    Packet* p = operand(block, lane, 1, ElementType::f32);
    nv(*p).rank = static_cast<std::uint8_t>(rank);
    return p;
  }
};

}  // namespace

TEST_CASE("in rank order the sum does not depend on the order of arrival", "[pure][reduction_table]") {
  // (2^24 + 1) + 1 stays 2^24, but 1 + 1 + 2^24 does not: rank order always gives the former.
  const float operand[3] = {0x1p24f, 1, 1};
  const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    OrderedBench b(2);
    CHECK(b.push(b.from(order[0], 1, operand[order[0]]), 3, 10).answer == Answer::inserted);
    CHECK(b.push(b.from(order[1], 1, operand[order[1]]), 3, 20).answer == Answer::merged);
    CHECK(b.table.occupancy() == 2);  // the last operand goes to the ALUs and is not stored
    const TableTransaction t = b.push(b.from(order[2], 1, operand[order[2]]), 3, 30);
    REQUIRE(t.answer == Answer::completed);
    CHECK(t.count == 3);
    CHECK(b.take<float>(t.result)[7] == 0x1p24f);
    b.finish(35);
    CHECK(b.table.occupancy() == 0);
    CHECK(b.pool.live() == 0);
  }
}

TEST_CASE("in rank order operands are evicted one by one, and later operands of their block bypass the table",
          "[pure][reduction_table]") {
  OrderedBench b(3);
  b.push(b.from(2, 1, 1), 4, 10);
  b.push(b.from(1, 1, 1), 4, 20);
  b.push(b.from(0, 2, 1), 4, 30);
  const TableTransaction t = b.push(b.from(0, 3, 1), 4, 40);  // full: one operand of block 1 is evicted
  REQUIRE(t.evicted != nullptr);
  CHECK(t.count == 1);
  CHECK((TableBench::block_of(t.evicted) == 1 && nv(*t.evicted).rank == 1));
  t.evicted->release();
  Packet* late = b.from(3, 1, 1);
  CHECK(b.push(late, 4, 50).answer == Answer::bypassed);
  late->release();
  CHECK(b.table.occupancy() == 3);
  const TableTransaction due = b.expire(1020);  // block 1 last received an operand at 20
  REQUIRE(due.evicted != nullptr);
  CHECK((TableBench::block_of(due.evicted) == 1 && nv(*due.evicted).rank == 2));
  due.evicted->release();
  CHECK(b.table.occupancy() == 2);
  b.table.reset();
  CHECK(b.pool.live() == 0);
}

TEST_CASE("in rank order a block larger than the table bypasses it", "[pure][reduction_table]") {
  OrderedBench b(1);
  b.push(b.from(0, 1, 1), 4, 10);
  Packet* second = b.from(1, 1, 1);
  CHECK(b.push(second, 4, 20).answer == Answer::bypassed);
  second->release();
  const TableTransaction due = b.expire(1010);
  REQUIRE(due.evicted != nullptr);
  due.evicted->release();
  CHECK(b.table.occupancy() == 0);
}

TEST_CASE("in rank order a pull reserves room for all its operands, only at its first hop", "[pure][reduction_table]") {
  OrderedBench b(5);
  CHECK(b.allocate(1, 0, 3, false, 10).answer == Answer::refused);
  CHECK(b.allocate(1, 0, 3, true, 10).answer == Answer::inserted);
  CHECK(b.table.occupancy() == 3);
  CHECK(b.allocate(2, 0, 3, true, 20).answer == Answer::refused);
  b.collect(b.from(3, 1, 1), 0, 30);
  b.collect(b.from(1, 1, 0x1p24f), 0, 40);
  const TableTransaction t = b.collect(b.from(2, 1, 1), 0, 50);
  REQUIRE(t.answer == Answer::completed);
  CHECK(b.take<float>(t.result)[0] == 0x1p24f);
  b.finish(60);
  CHECK(b.allocate(2, 0, 3, true, 70).answer == Answer::inserted);
}

}  // namespace tributary::test_reduction_table_ordered
