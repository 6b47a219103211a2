/// Tests the engine of NVLS at a GPU: what it sends, and what it does with the packets that arrive.
#include <catch2/catch.hpp>

#include "modules/gpu/core/nvls_engine_core.h"
#include "testbench/test/harness/gpu_bench.h"

namespace tributary::test_nvls_engine {

using namespace tributary::gpu_bench;

namespace {

/// GPU 1 is rank 0, GPU 3 is rank 1. Each head has a block of 128 B. The slots begin at address 4096, the flags at 8192.
GpuProgram one_step() {
  auto plan = std::make_shared<NvlsPlan>();
  plan->ranks = 2, plan->slots = 1, plan->chunk = 128, plan->payload = 128, plan->window = 1024;
  plan->ranges = {{0, 128}, {128, 128}};
  plan->blocks = {{{0, 0, 0, 1, 0, 1}}};
  GpuProgram program;
  program.nvls = NvlsWork{plan, 0, {1, 3}, 0, 4096, 4096, 8192};
  program.type = ElementType::i32;
  program.members = 2;
  return program;
}

NvlsParams params() {
  NvlsParams p;
  p.copy_rate = 0_GBps;
  p.base = 5_us;
  p.peer = 100_ns;
  return p;
}

Packet* flag(GpuBench& b, Opcode opcode, NvlsFlag::Kind kind) {
  Packet* p = b.pool.make(16, true);
  NvHeader& h = nv(*p);
  h.opcode = opcode, h.address = 8192, h.source = 3, h.destination = 1, h.flag = true;
  h.plane = b.map.locate(8192).plane;
  const NvlsFlag content{kind, 0, 1, 1};
  std::memcpy(p->payload, &content, sizeof content);
  return p;
}

/// The answer to the request that the engine has sent, as a switch makes it.
Packet* answer(GpuBench& b, const NvHeader& request, Opcode opcode, unsigned count) {
  Packet* p = b.packet(opcode, request.address / 128, count, 7);
  nv(*p).slot = request.slot, nv(*p).counter = request.counter;
  nv(*p).plane = request.plane;
  return p;
}

}  // namespace

TEST_CASE("nvls engine: a load-reduce and its store reach all members, the sender too", "[pure][gpu][nvls]") {
  GpuBench b;
  b.add_engine<NvlsEngineCore>("nvls", params());
  for (unsigned i = 0; i < 64; ++i) b.memory[i] = i;
  b.core->post(one_step(), t0);
  const Tick begins = t0 + 5'000'000;
  b.core->run_until(begins + 50'000);
  // operands of both heads in the slots: head 0 at 4096, head 1 after its operand and its sum
  CHECK((b.memory[1024 + 5] == 5 && b.memory[1024 + 64 + 5] == 37));
  REQUIRE(b.of(Opcode::write).size() == 1);
  const Sent filled = b.of(Opcode::write)[0];
  CHECK((filled.header.flag && filled.header.destination == 3 && filled.flits == 2 && filled.head == begins + hop));
  CHECK(b.of(Opcode::pull).empty());

  b.receive(flag(b, Opcode::write, NvlsFlag::Kind::filled), begins + 100'000);
  b.core->run_until(begins + 400'000);
  REQUIRE(b.of(Opcode::pull).size() == 1);
  const Sent pull = b.of(Opcode::pull)[0];
  CHECK(pull.head == begins + 100'000 + 2 * 100'000 + hop);
  CHECK((pull.header.to_self && pull.header.target == Target::region && pull.header.address == 4096));
  CHECK((pull.header.destination == 1 && pull.header.length == 128 && pull.flits == 1));

  b.receive(answer(b, pull.header, Opcode::rsp, 2), begins + 500'000);
  b.core->run_until(begins + 600'000);
  REQUIRE(b.of(Opcode::mc_write).size() == 1);
  const Sent store = b.of(Opcode::mc_write)[0];
  CHECK((store.header.to_self && store.header.target == Target::region && store.header.address == 4096 + 128));
  CHECK((store.lane == 7 && store.flits == 9 && store.header.count == 2 && store.header.merge_acks));

  b.receive(answer(b, store.header, Opcode::ack, 1), begins + 700'000);
  CHECK(b.of(Opcode::mc_write).size() == 1);
  b.receive(answer(b, store.header, Opcode::ack, 1), begins + 800'000);
  b.core->run_until(begins + 900'000);
  REQUIRE(b.of(Opcode::mc_write).size() == 2);
  CHECK((b.of(Opcode::mc_write)[1].header.flag && !b.of(Opcode::mc_write)[1].header.to_self));
  b.receive(answer(b, store.header, Opcode::mc_write, 2), begins + 950'000);  // the store returns
  CHECK(b.memory[1024 + 32] == 7);
  CHECK(b.done == 0);
  b.receive(flag(b, Opcode::mc_write, NvlsFlag::Kind::summed), begins + 1'000'000);
  CHECK(b.done == begins + 1'000'000);
  CHECK((b.memory[0] == 7 && b.memory[31] == 7));
}

TEST_CASE("nvls engine: a sum with a wrong number of operands is refused", "[pure][gpu][nvls]") {
  GpuBench b;
  b.add_engine<NvlsEngineCore>("nvls", params());
  b.core->post(one_step(), t0);
  b.receive(flag(b, Opcode::write, NvlsFlag::Kind::filled), t0 + 1000);
  b.core->run_until(t0 + 6'000'000);
  const Sent pull = b.of(Opcode::pull).at(0);
  CHECK_THROWS_WITH(b.receive(answer(b, pull.header, Opcode::rsp, 1), t0 + 7'000'000),
                    "a sum counts 1 operands instead of 2");
}

}  // namespace tributary::test_nvls_engine
