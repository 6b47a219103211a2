// Times of a table whose adders are a pipeline without forwarding, by arithmetic (docs/blocks/reduction_table.md#adders).
#include <catch2/catch.hpp>

#include "modules/nvswitch/core/add_pipeline.h"
#include "modules/nvswitch/core/reduction_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_add_pipeline {
namespace {

using Command = TableTransaction::Command;

constexpr Tick clock = 640, packet_time = 9 * clock;

/// A table with such adders, and the latency and interval of its last answer.
struct Bench {
  explicit Bench(unsigned cycles, unsigned entries = 4, Bandwidth rate = 25_GBps, bool rank_order = false)
      : table(entries * block_bytes, 2'000'000, rank_order), pipeline(cycles, rate, rank_order) {}
  ~Bench() { table.reset(); }

  void access(TableTransaction t) {
    pipeline.ask(t);
    table.access(t);
    latency = pipeline.answer(t);
    interval = t.timing.interval;
    for (Packet* p : {t.result, t.evicted})
      if (p != nullptr) p->release();
  }
  TableTransaction operand(Command command, std::uint64_t block, Tick now) {
    Packet* const p = pool.make(block_bytes, false);
    nv(*p).address = block * block_bytes, nv(*p).count = 1, nv(*p).rank = ++ranks;
    TableTransaction t;
    t.command = command;
    t.packet = p;
    t.now = now;
    return t;
  }
  void push(std::uint64_t block, unsigned expected, Tick now) {
    TableTransaction t = operand(Command::push, block, now);
    t.expected = static_cast<std::uint16_t>(expected);
    access(t);
  }
  void collect(std::uint64_t block, unsigned requester, Tick now) {
    TableTransaction t = operand(Command::collect, block, now);
    t.requester = static_cast<std::uint16_t>(requester);
    access(t);
  }

  PacketPool pool{NvLink{}};
  ReductionTable table;
  AddPipeline pipeline;
  Tick latency = 0, interval = 0;
  std::uint8_t ranks = 0;
};

}  // namespace

TEST_CASE("add pipeline: a sum leaves after the clocks of the adders, all other answers are immediate", "[pure]") {
  const unsigned cycles = GENERATE(1u, 2u, 9u);
  Bench b(cycles);
  for (unsigned i = 0; i < 4; ++i) {
    b.push(5, 4, i * packet_time);
    CHECK(b.interval == 0);  // operands of 9 flits begin 9 clocks apart
    CHECK(b.latency == (i == 3 ? cycles * clock : 0));
  }
}

TEST_CASE("add pipeline: an operand waits until its entry is written, in whole clocks", "[pure]") {
  Bench b(12);
  b.push(5, 4, 0);  // written at 12 clocks
  b.push(5, 4, packet_time);
  CHECK(b.interval == 3 * clock);
  b.push(6, 4, 21 * clock);  // another entry
  CHECK(b.interval == 0);
  b.push(5, 4, 22 * clock + 1);  // the one before began at 12, and is written at 24; this one is sampled at 23
  CHECK(b.interval == clock);
  b.push(5, 4, 100 * clock);
  CHECK(b.interval == 0);
  CHECK(b.latency == 12 * clock);
}

TEST_CASE("add pipeline: operands between edges are sampled at the next one", "[pure]") {
  const std::uint64_t first = GENERATE(0u, 1u, 320u, 639u, 640u);
  const std::uint64_t second = GENERATE(1u, 2u, 319u, 320u, 639u);
  Bench b(16);
  b.push(5, 4, first);                       // written 16 clocks after its edge
  b.push(5, 4, packet_time + 640 + second);  // sampled at clock 11
  CHECK(b.interval == (first == 0 ? 5 : 6) * clock);
  Bench at_edge(16);
  at_edge.push(5, 4, first);
  at_edge.push(5, 4, (first == 0 ? 15 : 16) * clock + second);  // sampled when the entry has been written
  CHECK(at_edge.interval == 0);
}

TEST_CASE("add pipeline: the last operand may wait, and its sum leaves the clocks of the adders later", "[pure]") {
  Bench b(10);
  b.push(5, 2, 0);
  b.push(5, 2, packet_time);
  CHECK(b.interval == clock);
  CHECK(b.latency == 10 * clock);
}

TEST_CASE("add pipeline: an eviction waits until the evicted entry is written", "[pure]") {
  Bench b(14, 1);
  b.push(5, 4, 0);
  b.push(6, 4, packet_time);  // evicts block 5
  CHECK(b.interval == 5 * clock);
  CHECK(b.latency == 5 * clock);
  b.push(6, 4, 2 * packet_time + 5 * clock);  // begun at 14, written at 28; now 23
  CHECK(b.interval == 5 * clock);
  CHECK(b.latency == 0);
  TableTransaction expire;
  expire.command = Command::expire;
  expire.now = 10'000'000;
  b.access(expire);
  CHECK(b.latency == 0);
}

TEST_CASE("add pipeline: an entry that times out while it is added leaves when it is written", "[pure]") {
  Bench b(1000);
  b.push(5, 4, 0);  // written at 640 ns
  TableTransaction expire;
  expire.command = Command::expire;
  expire.now = 2'000'000;
  b.access(expire);
  CHECK(b.latency == 0);
  Bench late(4000);  // 2560 ns
  late.push(5, 4, 0);
  late.access(expire);
  CHECK(late.latency == 560'000);
  CHECK(late.interval == 0);
}

TEST_CASE("add pipeline: responses to different requesters do not wait for each other", "[pure]") {
  Bench b(20);
  for (const std::uint16_t requester : {std::uint16_t{1}, std::uint16_t{2}}) {
    TableTransaction t;
    t.command = Command::allocate;
    t.address = 5 * block_bytes, t.requester = requester, t.expected = 3;
    b.access(t);
  }
  b.collect(5, 1, 0);
  b.collect(5, 2, packet_time);
  CHECK(b.interval == 0);
  b.collect(5, 1, 2 * packet_time);
  CHECK(b.interval == 2 * clock);
  b.collect(7, 1, 4 * packet_time);  // misses
  CHECK((b.interval == 0 && b.latency == 0));
}

TEST_CASE("add pipeline: fractions of a picosecond are rounded up", "[pure]") {
  Bench b(1, 4, bytes_per_second(24'000'000'000));  // a clock lasts 666.67 ps
  b.push(5, 2, 0);
  b.push(5, 2, 100'000);
  CHECK(b.latency == 667);
  Bench three(3, 4, bytes_per_second(24'000'000'000));
  three.push(5, 2, 0);
  three.push(5, 2, 1333);  // sampled at clock 2, written at clock 3
  CHECK(three.interval == 667);
  CHECK(three.latency == 2000);
}

TEST_CASE("add pipeline: in rank order only the sum is late", "[pure]") {
  Bench b(50, 4, 25_GBps, true);
  for (unsigned i = 0; i < 3; ++i) {
    b.push(5, 3, i * packet_time);
    CHECK(b.interval == 0);
    CHECK(b.latency == (i == 2 ? 50 * clock : 0));
  }
}

}  // namespace tributary::test_add_pipeline
