/// Tests results that one GPU keeps: reduce and reduce-scatter.
#include <catch2/catch.hpp>
#include <cstring>

#include "testbench/test/harness/gpu_bench.h"

namespace tributary::test_gpu_reduce {

using namespace tributary::gpu_bench;

TEST_CASE("pull: a result that stays here is not sent, and a slice may end within a block", "[pure][gpu]") {
  GpuBench b;
  for (std::uint32_t i = 0; i < 64; ++i) b.memory[i] = 1000;
  GpuProgram o;
  DmaStage s;
  s.kind = DmaStage::Kind::pull;
  s.keeps = true;
  s.message = {0, 512};
  s.first_block = 1;
  s.block_count = s.arrivals = 1;
  s.share_bytes = 100;
  s.wave_blocks = 64;
  o.stages.push_back(s);
  o.type = ElementType::i32;
  o.members = members;
  b.core->post(o, t0);
  b.core->run_until(t0 + read_time);
  REQUIRE(b.of(Opcode::pull).size() == 1);
  CHECK(b.of(Opcode::pull)[0].header.length == 100);
  Packet* response = b.pool.make(100, true);
  Packet* like = b.packet(Opcode::rsp, 1, members - 1, 30);
  nv(*response) = nv(*like);
  std::memcpy(response->payload, like->payload, 100);
  like->release();
  b.receive(response, 2'000'000);
  CHECK(b.of(Opcode::mc_write).empty());
  CHECK(b.memory[32] == 1030);
  CHECK(b.memory[32 + 24] == 1030);
  CHECK(b.memory[32 + 25] == 1000);  // beyond the slice
  CHECK(b.done == 2'000'000);
}

TEST_CASE("reduce by push: all GPUs receive one block per wave, and only the root stores it", "[pure][gpu]") {
  for (const bool is_root : {false, true}) {
    GpuBench b;  // GPU 1
    GpuProgram o;
    DmaStage s;
    s.kind = DmaStage::Kind::push;
    s.message = {0, 3 * 128};
    s.block_count = 3;
    s.arrivals = is_root ? 3 : 2;
    s.wave_blocks = 2;
    s.root = static_cast<std::uint16_t>(is_root ? 1 : 7);
    o.stages.push_back(s);
    o.type = ElementType::i32;
    o.members = members;
    b.core->post(o, t0);
    b.core->run_until(1'500'000);
    const std::vector<Sent> operands = b.of(Opcode::red_write);
    REQUIRE(operands.size() == 3);
    for (const Sent& x : operands) {
      CHECK(x.header.to_one == (x.header.address == 0));  // waves are blocks 0 and 1, and block 2
      CHECK(x.header.destination == *s.root);
    }
    if (is_root) b.receive(b.packet(Opcode::mc_write, 0, members, 77), 2'000'000);
    b.receive(b.packet(Opcode::mc_write, 1, members, 77), 2'100'000);
    CHECK(b.done == 0);
    b.receive(b.packet(Opcode::mc_write, 2, members, 77), 2'200'000);
    CHECK(b.done == 2'200'000);
    CHECK(b.memory[32] == (is_root ? 77 : 0));
  }
}

TEST_CASE("reduce by push: the root adds the evicted partial sums, and keeps the result", "[pure][gpu]") {
  GpuBench b;
  b.post(DmaStage::Kind::push, 1);
  b.core->run_until(1'500'000);
  b.sent.clear();
  for (unsigned i = 0; i < 2; ++i) {
    Packet* p = b.packet(Opcode::red_partial, 0, 2, 10 + i);
    nv(*p).to_one = nv(*p).reply_home = true;
    b.receive(p, 2'000'000);
  }
  b.core->run_until(3'000'000);
  CHECK(b.of(Opcode::mc_write).empty());
  CHECK(b.memory[0] == 21);
  CHECK(b.done == 2'000'000 + read_time);
}

}  // namespace tributary::test_gpu_reduce
