// Tests the rules of docs/systems/klenk.md#reduction-table; expected values are calculated by hand.
#include <catch2/catch.hpp>

#include "modules/base/element.h"
#include "testbench/test/harness/table_bench.h"

namespace tributary::test_reduction_table {

using Answer = TableBench::Answer;

TEST_CASE("capacity counts data bytes, 128 per entry", "[pure][reduction_table]") {
  CHECK(ReductionTable(256, 1).capacity() == 2);
  CHECK(ReductionTable(1024, 1).capacity() == 8);
  CHECK(ReductionTable(4096, 1).capacity() == 32);
  CHECK(ReductionTable(255, 1).capacity() == 1);
  CHECK(ReductionTable(127, 1).capacity() == 0);
}

TEST_CASE("a table without entries passes everything", "[pure][reduction_table]") {
  TableBench b(0);
  CHECK(b.allocate(7, 3, 8, false, 100).answer == Answer::refused);
  Packet* response = b.operand(7, 1u);
  CHECK(b.collect(response, 3, 110).answer == Answer::missed);
  response->release();
  Packet* operand = b.operand(8, 1u);
  CHECK(b.push(operand, 2, 120).answer == Answer::bypassed);
  operand->release();
  CHECK(b.table.waiting().empty());
  CHECK(b.pool.live() == 0);
}

TEST_CASE("push inserts, merges and completes, and the entry is freed when its result has passed",
          "[pure][reduction_table]") {
  TableBench b(2);
  CHECK(b.push(b.operand(7, 1u), 3, 100).answer == Answer::inserted);
  CHECK(b.push(b.operand(7, 10u), 3, 110).answer == Answer::merged);
  CHECK(b.table.occupancy() == 1);
  const TableTransaction last = b.push(b.operand(7, 100u), 3, 120);
  REQUIRE(last.answer == Answer::completed);
  CHECK(last.count == 3);
  CHECK(TableBench::block_of(last.result) == 7);
  for (const std::uint32_t lane : b.take(last.result)) CHECK(lane == 111);
  CHECK(b.table.occupancy() == 1);
  b.finish(130);
  CHECK(b.table.occupancy() == 0);
  CHECK(b.table.waiting().empty());
  CHECK(b.pool.live() == 0);
}

TEST_CASE("a completed entry accepts no further operand", "[pure][reduction_table]") {
  TableBench b(2);
  b.push(b.operand(7, 1u), 2, 100);
  b.take(b.push(b.operand(7, 1u), 2, 110).result);
  // The entry still waits for its last flit. The next reduction of the same address is a new one.
  CHECK(b.push(b.operand(7, 5u), 2, 115).answer == Answer::inserted);
  CHECK(b.table.occupancy() == 2);
  b.finish(120);
  const TableTransaction second = b.push(b.operand(7, 6u), 2, 130);
  REQUIRE(second.answer == Answer::completed);
  CHECK(b.take(second.result)[31] == 11);
}

TEST_CASE("a miss in a full table evicts the least recently used entry", "[pure][reduction_table]") {
  TableBench b(3);
  for (const unsigned block : {1, 2, 3}) b.push(b.operand(block, block), 16, block * 10);
  b.push(b.operand(1, 100u), 16, 40);  // 2 is now the oldest
  TableTransaction t = b.push(b.operand(4, 4u), 16, 50);
  CHECK(t.answer == Answer::inserted);
  REQUIRE(t.evicted != nullptr);
  CHECK(TableBench::block_of(t.evicted) == 2);
  CHECK(t.count == 1);
  CHECK(b.take(t.evicted)[0] == 2);
  t = b.push(b.operand(5, 5u), 16, 60);
  CHECK(TableBench::block_of(t.evicted) == 3);
  b.take(t.evicted);
  t = b.push(b.operand(6, 6u), 16, 70);
  CHECK(TableBench::block_of(t.evicted) == 1);
  CHECK(t.count == 2);  // its partial sum leaves
  CHECK(b.take(t.evicted)[0] == 101);
  CHECK(b.table.occupancy() == 3);
}

TEST_CASE("an evicted block gets a new entry", "[pure][reduction_table]") {
  TableBench b(1);
  b.push(b.operand(1, 1u), 2, 10);
  b.take(b.push(b.operand(2, 2u), 2, 20).evicted);
  const TableTransaction t = b.push(b.operand(1, 3u), 2, 30);
  CHECK(t.answer == Answer::inserted);  // one of two operands has left, so this entry can never complete
  CHECK(TableBench::block_of(t.evicted) == 2);
  b.take(t.evicted);
}

TEST_CASE("an entry without an operand times out, and a hit restarts the timeout", "[pure][reduction_table]") {
  TableBench b(2, 1000);
  CHECK(b.expire(0).next_timeout == never);
  CHECK(b.push(b.operand(1, 1u), 16, 100).next_timeout == 1100);
  CHECK(b.push(b.operand(2, 2u), 16, 300).next_timeout == 1100);
  CHECK(b.push(b.operand(1, 1u), 16, 900).next_timeout == 1300);  // now block 2 is the first to expire
  CHECK(b.expire(1299).answer == Answer::nothing);
  const TableTransaction t = b.expire(1300);
  REQUIRE(t.evicted != nullptr);
  CHECK(TableBench::block_of(t.evicted) == 2);
  CHECK(t.next_timeout == 1900);
  b.take(t.evicted);
  CHECK(b.expire(1899).evicted == nullptr);
  const TableTransaction second = b.expire(1900);
  CHECK(second.count == 2);
  CHECK(second.next_timeout == never);
  CHECK(b.take(second.evicted)[0] == 2);
  CHECK(b.table.occupancy() == 0);
}

TEST_CASE("counts are operands, not packets", "[pure][reduction_table]") {
  TableBench b(2);
  CHECK(b.push(b.operand(1, 6u, 6), 16, 10).answer == Answer::inserted);
  CHECK(b.push(b.operand(1, 9u, 9), 16, 20).answer == Answer::merged);
  const TableTransaction t = b.push(b.operand(1, 1u), 16, 30);
  REQUIRE(t.answer == Answer::completed);
  CHECK(t.count == 16);
  CHECK(b.take(t.result)[5] == 16);
}

TEST_CASE("more operands than expected are an error", "[pure][reduction_table]") {
  TableBench b(2);
  b.push(b.operand(1, 1u, 3), 4, 10);
  CHECK_THROWS_AS(b.push(b.operand(1, 1u, 2), 4, 20), std::logic_error);
  TableBench pull(2);
  pull.allocate(1, 0, 3, true, 10);
  CHECK_THROWS_AS(pull.collect(pull.operand(1, 1u, 4), 0, 20), std::logic_error);
}

TEST_CASE("data are reduced in the element type", "[pure][reduction_table]") {
  TableBench b(2);
  SECTION("f32 rounds to nearest even") {
    b.push(b.operand(1, 16777216.0f, 1, ElementType::f32), 3, 10);
    b.push(b.operand(1, 1.0f, 1, ElementType::f32), 3, 20);  // 2^24 + 1 is not an f32: the tie goes to 2^24
    for (const float lane : b.take<float>(b.push(b.operand(1, 3.0f, 1, ElementType::f32), 3, 30).result))
      CHECK(lane == 16777220.0f);  // 2^24 + 3: tie between +2 and +4, goes to +4
  }
  SECTION("f16 has eight lanes per flit, and rounds at every merge") {
    b.push(b.operand(1, to_f16(2048), 1, ElementType::f16), 3, 10);
    b.push(b.operand(1, to_f16(1), 1, ElementType::f16), 3, 20);
    const auto lanes = b.take<std::uint16_t>(b.push(b.operand(1, to_f16(1), 1, ElementType::f16), 3, 30).result);
    CHECK(lanes.size() == 64);
    for (const std::uint16_t lane : lanes) CHECK(from_f16(lane) == 2048);  // 2048 + 1 + 1 = 2050 in one rounding
  }
  SECTION("i32 wraps around") {
    b.push(b.operand(1, 0x7FFFFFFFu), 2, 10);
    for (const std::uint32_t lane : b.take(b.push(b.operand(1, 2u), 2, 20).result)) CHECK(lane == 0x80000001u);
  }
}

TEST_CASE("only the bytes of a short last block are reduced", "[pure][reduction_table]") {
  TableBench b(1);
  Packet* first = b.operand(1, 1u);
  Packet* second = b.operand(1, 2u);
  first->payload_bytes = second->payload_bytes = 20;
  b.push(first, 2, 10);
  const auto lanes = b.take(b.push(second, 2, 20).result);
  for (unsigned i = 0; i < 32; ++i) CHECK(lanes[i] == (i < 5 ? 3u : 1u));
}

TEST_CASE("without data only counts are stored", "[pure][reduction_table]") {
  TableBench b(1);
  for (unsigned i = 0; i < 2; ++i) {
    Packet* p = b.pool.make(block_bytes, false);
    nv(*p).count = 1;
    const TableTransaction t = b.push(p, 2, i);
    if (i == 0) continue;
    REQUIRE(t.answer == Answer::completed);
    CHECK(t.result->payload == nullptr);
    t.result->release();
  }
  CHECK(b.pool.live() == 0);
}

TEST_CASE("reset frees all entries and their packets", "[pure][reduction_table]") {
  TableBench b(4, 1000);
  b.push(b.operand(1, 1u), 3, 10);
  b.push(b.operand(2, 1u), 2, 10);
  b.allocate(3, 5, 3, true, 10);
  b.collect(b.operand(3, 1u), 5, 20);
  b.take(b.push(b.operand(2, 1u), 2, 20).result);  // completed, not finished
  CHECK(b.table.occupancy() == 3);
  b.table.reset();
  CHECK(b.table.occupancy() == 0);
  CHECK(b.pool.live() == 0);
  CHECK(b.expire(5000).next_timeout == never);
  for (const unsigned block : {1, 2, 3, 4}) CHECK(b.push(b.operand(block, 1u), 2, 6000).evicted == nullptr);
}

TEST_CASE("probes show each event with its time and block", "[pure][reduction_table]") {
  TableBench b(1, 1000);
  ProbeDirectory directory;
  b.table.describe(directory, "t.");
  std::vector<std::string> seen;
  struct Listener {
    std::vector<std::string>* seen;
    std::string name;
  };
  std::vector<Listener> listeners;
  for (const char* name : {"allocations", "merges", "completions", "evictions", "timeouts"})
    listeners.push_back({&seen, name});
  for (Listener& l : listeners)
    static_cast<SignalProbe*>(directory.entries().at("t." + l.name).probe)->attach(&l, [](void* o, Tick t, std::uint64_t v) {
      auto* self = static_cast<Listener*>(o);
      self->seen->push_back(self->name + " " + std::to_string(v) + " at " + std::to_string(t));
    });
  b.push(b.operand(1, 1u), 2, 10);
  b.take(b.push(b.operand(2, 1u), 2, 20).evicted);
  b.take(b.push(b.operand(2, 1u), 2, 30).result);
  b.finish(35);
  b.push(b.operand(3, 1u), 2, 40);
  b.take(b.expire(1040).evicted);
  CHECK(seen == std::vector<std::string>{"allocations 1 at 10", "evictions 1 at 20", "allocations 2 at 20", "merges 2 at 30",
                                         "completions 2 at 30", "allocations 3 at 40", "timeouts 3 at 1040"});
}

}  // namespace tributary::test_reduction_table
