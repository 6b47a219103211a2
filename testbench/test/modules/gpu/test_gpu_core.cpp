// Tests an endpoint between its links and its memory, which reads in 100 ns here (docs/systems/klenk.md#pull, #push).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "testbench/test/harness/gpu_bench.h"

namespace tributary::test_gpu_core {

using namespace tributary::gpu_bench;

TEST_CASE("push: operands leave a memory read after their request, paced at the rate of all links", "[pure][gpu]") {
  GpuBench b;
  for (std::uint32_t i = 0; i < 12 * 32; ++i) b.memory[i] = i / 32;
  b.post(DmaStage::Kind::push, 12);
  b.core->run_until(2'000'000);
  const std::vector<Sent> operands = b.of(Opcode::red_write);
  REQUIRE(operands.size() == 12);
  for (const Sent& s : operands) {
    const std::uint64_t block = s.header.address / 128;
    CHECK(s.port == block % 6);
    CHECK(s.lane == block);
    CHECK((s.vc == request_vc && s.flits == 9 && s.header.count == 1 && s.header.target == Target::home));
    CHECK(s.head == t0 + block * 960 + read_time + hop);  // 144 B at 150 GB/s: 960 ps
  }
}

// Reads overlap. The interval of a read, here longer than the 960 ps between the requests of two blocks, delays the next.
TEST_CASE("push: an interval of the memory delays the next read, and a latency does not", "[pure][gpu]") {
  for (const Tick interval : {Tick{0}, Tick{500}, Tick{2'000}}) {
    GpuBench b;
    b.interval = interval;
    b.post(DmaStage::Kind::push, 12);
    b.core->run_until(2'000'000);
    const std::vector<Sent> operands = b.of(Opcode::red_write);
    REQUIRE((operands.size() == 12 && b.read_at.size() == 12));
    for (std::uint64_t block = 0; block < 12; ++block) CHECK(b.read_at[block] == t0 + block * std::max<Tick>(960, interval));
    for (const Sent& s : operands) CHECK(s.head == b.read_at[s.header.address / 128] + read_time + hop);
  }
}

TEST_CASE("push: a result is written and acknowledged to its home port, and the last one ends the operation",
          "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::push, 2);
  b.core->run_until(1'500'000);
  b.sent.clear();
  for (std::uint64_t block : {1, 0}) {
    Packet* p = b.packet(Opcode::mc_write, block, members, 77);
    nv(*p).reply_home = true;
    CHECK(b.done == 0);
    b.receive(p, 2'000'000 - block * 100'000);
  }
  CHECK(b.done == 2'000'000);
  CHECK((b.memory[0] == 77 && b.memory[63] == 77));
  REQUIRE(b.sent.size() == 2);
  const Sent& ack = b.sent[0];
  CHECK((ack.header.opcode == Opcode::ack && ack.header.target == Target::home && ack.vc == response_vc && ack.flits == 1));
  CHECK(ack.head == 1'900'000 + hop);
  CHECK(b.credits == std::vector<std::pair<unsigned, Tick>>{{1, 1'900'000}, {0, 2'000'000}});
  CHECK(b.core->quiescent() == false);  // the links' credits are outstanding
}

TEST_CASE("operation.remaining counts the missing blocks of a stage from its start to the last arrival", "[pure][gpu]") {
  GpuBench b;
  ProbeDirectory directory;
  b.core->describe(directory, "gpu1");
  std::vector<std::pair<Tick, std::uint64_t>> levels;
  static_cast<SignalProbe*>(directory.entries().at("gpu1.operation.remaining").probe)
      ->attach(&levels, [](void* o, Tick when, std::uint64_t value) {
        static_cast<decltype(levels)*>(o)->emplace_back(when, value);
      });
  b.post(DmaStage::Kind::push, 2);
  b.core->run_until(1'500'000);
  CHECK(levels == std::vector<std::pair<Tick, std::uint64_t>>{{t0, 2}});
  for (const std::uint64_t block : {1, 0})
    b.receive(b.packet(Opcode::mc_write, block, members, 77), 2'000'000 - block * 100'000);
  CHECK(levels == std::vector<std::pair<Tick, std::uint64_t>>{{t0, 2}, {1'900'000, 1}, {2'000'000, 0}});
}

TEST_CASE("a multicast write is acknowledged to its writer if acks are on, else not at all", "[pure][gpu]") {
  const bool acks = GENERATE(true, false);
  GpuBench b(acks);
  b.post(DmaStage::Kind::none, 1);
  b.core->run_until(t0);
  b.receive(b.packet(Opcode::mc_write, 0, 1, 5), 2'000'000);
  CHECK(b.done == 2'000'000);
  CHECK(b.memory[0] == 5);
  REQUIRE(b.sent.size() == (acks ? 1u : 0u));
  if (acks)
    CHECK((b.sent[0].header.target == Target::gpu && b.sent[0].header.destination == 3 && b.sent[0].header.source == 1));
}

TEST_CASE("a pull is answered with the own operand after a memory read", "[pure][gpu]") {
  GpuBench b;
  for (std::uint32_t i = 0; i < 64; ++i) b.memory[i] = 9;
  b.post(DmaStage::Kind::none, 1);
  Packet* p = b.packet(Opcode::pull, 1, 1, 0);
  nv(*p).destination = 2;  // the requester
  b.receive(p, 2'000'000);
  b.core->run_until(3'000'000);
  REQUIRE(b.sent.size() == 1);
  const Sent& s = b.sent[0];
  CHECK((s.header.opcode == Opcode::rsp && s.header.target == Target::gpu && s.header.destination == 2 &&
         s.header.count == 1));
  CHECK((s.vc == response_vc && s.flits == 9 && s.lane == 9 && s.port == 1));
  CHECK(s.head == 2'000'000 + read_time + hop);
}

TEST_CASE("pull: the response of all others plus the own operand is multicast, and visible here", "[pure][gpu]") {
  GpuBench b;
  for (std::uint32_t i = 0; i < 32; ++i) b.memory[i] = 1000;
  b.post(DmaStage::Kind::pull, 1);
  b.core->run_until(t0 + read_time);
  const std::vector<Sent> pulls = b.of(Opcode::pull);
  REQUIRE(pulls.size() == 1);
  CHECK((pulls[0].head == t0 + hop && pulls[0].flits == 1 && pulls[0].header.target == Target::region));
  CHECK(pulls[0].header.destination == 1);
  b.receive(b.packet(Opcode::rsp, 0, members - 1, 30), 2'000'000);
  const std::vector<Sent> results = b.of(Opcode::mc_write);
  REQUIRE(results.size() == 1);
  CHECK((results[0].lane == 1030 && results[0].header.count == members && results[0].vc == request_vc));
  CHECK(results[0].head == 2'000'000 + hop);
  CHECK(b.memory[31] == 1030);
  CHECK(b.done == 2'000'000);
}

TEST_CASE("pull: the sum waits for the own operand if memory still reads it when the response arrives", "[pure][gpu]") {
  GpuBench b;
  for (std::uint32_t i = 0; i < 32; ++i) b.memory[i] = 1000;
  b.post(DmaStage::Kind::pull, 1);
  b.core->run_until(t0);
  b.receive(b.packet(Opcode::rsp, 0, members - 1, 30), t0 + read_time / 2);
  CHECK(b.memory[0] == 1000);
  b.core->run_until(t0 + read_time - 1);
  CHECK(b.of(Opcode::mc_write).empty());
  CHECK(b.done == 0);
  b.core->run_until(2'000'000);
  const std::vector<Sent> results = b.of(Opcode::mc_write);
  REQUIRE(results.size() == 1);
  CHECK((results[0].lane == 1030 && results[0].head == t0 + read_time + hop));
  CHECK(b.memory[31] == 1030);
  CHECK(b.done == t0 + read_time);
}

TEST_CASE("the home GPU adds partial sums, and multicasts the block when all operands have arrived", "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::push, 1);
  b.core->run_until(1'500'000);
  b.sent.clear();
  for (unsigned i = 0; i < 2; ++i) {
    Packet* p = b.packet(Opcode::red_partial, 0, 2, 10 + i);
    nv(*p).reply_home = true;
    b.receive(p, 2'000'000 + i * 50'000);
  }
  CHECK(b.of(Opcode::ack).size() == 2);
  CHECK(b.of(Opcode::mc_write).empty());
  CHECK(b.memory[0] == 0);  // not in the user's buffer
  b.core->run_until(3'000'000);
  const std::vector<Sent> results = b.of(Opcode::mc_write);
  REQUIRE(results.size() == 1);
  CHECK((results[0].lane == 21 && results[0].header.count == members && results[0].header.reply_home == false));
  CHECK(results[0].head == 2'050'000 + read_time + hop);
  CHECK(b.memory[0] == 21);
  CHECK(b.done == 2'050'000 + read_time);
}

TEST_CASE("a result with too few operands, or one that arrives twice, is an error", "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::push, 2);
  b.core->run_until(1'500'000);
  CHECK_THROWS_AS(b.receive(b.packet(Opcode::mc_write, 0, members - 1, 0), 2'000'000), std::logic_error);
  b.core->reset();
  GpuBench twice;
  twice.post(DmaStage::Kind::push, 2);
  twice.core->run_until(1'500'000);
  twice.receive(twice.packet(Opcode::mc_write, 0, members, 0), 2'000'000);
  CHECK_THROWS_AS(twice.receive(twice.packet(Opcode::mc_write, 0, members, 0), 2'100'000), std::logic_error);
}

TEST_CASE("the generator pauses when enough packets wait for a link", "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::push, 480);  // 80 per link
  for (unsigned vc = 0; vc < 2; ++vc)
    for (auto& l : b.links) CHECK(l->queued_packets(vc) == 0);
  b.core->run_until(t0 + 90'000);  // 94 requests paced, none read yet
  unsigned waiting = 0;
  for (auto& l : b.links) waiting += l->queued_packets(request_vc);
  CHECK(waiting == 94);
  b.core->run_until(t0 + 3'000'000);  // 306 flits of credit: 34 packets of each link leave, and no more
  CHECK(b.of(Opcode::red_write).size() == 6 * 34);
  for (auto& l : b.links) CHECK(l->queued_packets(request_vc) <= 64);
}

TEST_CASE("a load from a multicast region is served by the GPU's own memory", "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::load, 12);
  b.core->run_until(2'000'000);
  CHECK(b.sent.empty());
  CHECK(b.done == t0 + 11 * 960 + read_time);  // requests are paced as usual
  CHECK(b.core->memory_use().reads == 12);
  CHECK(b.core->memory_use().writes == 0);
  CHECK(b.core->quiescent());
  CHECK(b.pool.live() == 0);
}

TEST_CASE("each GPU adds multicast partial sums, and does not change the shared packet", "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::push, 1, 0, 0);
  Packet* first = b.packet(Opcode::red_partial, 0, 3, 30);
  nv(*first).target = Target::region;
  nv(*first).reply_home = true;
  first->acquire();  // another GPU's copy
  b.receive(first, 1'100'000);
  Packet* second = b.packet(Opcode::red_partial, 0, 1, 4);
  nv(*second).target = Target::region;
  second->acquire();
  b.receive(second, 1'200'000);
  b.core->run_until(2'000'000);
  CHECK(b.memory[0] == 34);
  CHECK(b.done == 1'200'000 + read_time);
  CHECK(b.of(Opcode::ack).size() == 2);
  CHECK(b.of(Opcode::mc_write).empty());
  for (Packet* p : {first, second}) {
    std::uint32_t lane;
    std::memcpy(&lane, p->payload, 4);
    CHECK(lane == (p == first ? 30u : 4u));
    p->release();
  }
  CHECK(b.pool.live() == 0);
}

}  // namespace tributary::test_gpu_core
