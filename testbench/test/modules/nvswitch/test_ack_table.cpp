// Tests that acks of a multicast are counted at the port by which it arrived (docs/systems/klenk.md#acknowledgements).
#include <catch2/catch.hpp>

#include "modules/nvswitch/core/ack_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_ack_table {

using Answer = AckTable::Answer;

namespace {

struct Bench {
  explicit Bench(unsigned entries) : table(entries) {}
  PacketPool pool{NvLink{}};
  AckTable table;

  bool open(std::uint64_t block, std::uint16_t writer, std::uint16_t expected) {
    return table.open(block * block_bytes, writer, expected, 100);
  }
  /// Result for an ack, and the count that is forwarded (0: none).
  std::pair<Answer, unsigned> ack(std::uint64_t block, std::uint16_t writer, unsigned count = 1) {
    Packet* p = pool.make(0, false);
    nv(*p).address = block * block_bytes;
    nv(*p).count = static_cast<std::uint16_t>(count);
    const Answer a = table.collect(*p, writer, 200);
    if (a == Answer::merged) return {a, 0};
    const unsigned n = nv(*p).count;
    p->release();
    return {a, n};
  }
};

using Result = std::pair<Answer, unsigned>;

}  // namespace

TEST_CASE("the last ack carries the count of all", "[pure][acks]") {
  Bench b(2);
  REQUIRE(b.open(7, 3, 4));
  CHECK(b.ack(7, 3) == Result{Answer::merged, 0});
  CHECK(b.ack(7, 3, 2) == Result{Answer::merged, 0});  // two that were merged downstream
  CHECK(b.table.occupancy() == 1);
  CHECK(b.table.waiting() == std::vector<std::string>{"block 7 of gpu3 has 3 of 4 acks"});
  CHECK(b.ack(7, 3) == Result{Answer::completed, 4});
  CHECK(b.table.occupancy() == 0);
  CHECK(b.ack(7, 3, 2) == Result{Answer::passed, 2});
  CHECK(b.pool.live() == 0);
}

TEST_CASE("acks of a multicast without an entry pass unmerged", "[pure][acks]") {
  Bench b(1);
  REQUIRE(b.open(1, 0, 2));
  CHECK_FALSE(b.open(2, 0, 2));
  CHECK(b.ack(2, 0) == Result{Answer::passed, 1});
  CHECK(b.ack(1, 0) == Result{Answer::merged, 0});
  CHECK(b.ack(1, 0) == Result{Answer::completed, 2});
  CHECK(b.open(2, 0, 2));
  Bench none(0);
  CHECK_FALSE(none.open(1, 0, 2));
  CHECK(none.ack(1, 0) == Result{Answer::passed, 1});
}

TEST_CASE("writers of one block have separate entries, and a second multicast of one writer gets none", "[pure][acks]") {
  Bench b(8);
  REQUIRE(b.open(5, 1, 2));
  REQUIRE(b.open(5, 2, 3));
  CHECK_FALSE(b.open(5, 1, 2));
  b.ack(5, 2);
  b.ack(5, 1);
  CHECK(b.ack(5, 1) == Result{Answer::completed, 2});
  CHECK(b.ack(5, 2, 2) == Result{Answer::completed, 3});
}

TEST_CASE("more acks than receivers are an error, and reset frees all", "[pure][acks]") {
  Bench b(1);
  b.open(1, 0, 2);
  CHECK_THROWS_AS(b.ack(1, 0, 3), std::logic_error);
  b.table.reset();
  CHECK(b.table.occupancy() == 0);
  CHECK(b.open(2, 0, 2));
}

}  // namespace tributary::test_ack_table
