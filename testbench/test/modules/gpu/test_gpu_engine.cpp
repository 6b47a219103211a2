/// Tests a user's engine next to those of a GPU: when it acts, what it sends, which packets it receives.
#include <catch2/catch.hpp>

#include "testbench/test/harness/gpu_bench.h"

namespace tributary::test_gpu_engine {

using namespace tributary::gpu_bench;

namespace {

constexpr std::uint64_t own_addresses = std::uint64_t{1} << 50;

/// Writes to a peer: paced packets, and one by a timer.
class Writer : public GpuEngine {
 public:
  explicit Writer(EngineSeat seat) : seat_(seat) {}

  EngineScope scope() const override { return {0, own_addresses, 1 << 20}; }
  void run(Tick now, EngineTimer timer) override {
    calls.emplace_back(timer, now);
    if (timer == EngineTimer::before_issue) seat_.offer(left != 0, now);
  }
  bool issue(Tick now) override {
    --left;
    write(now);
    seat_.offer(left != 0, now);
    return true;
  }
  void packet(Packet* packet, Arrival from, Tick now) override {
    arrivals.emplace_back(nv(*packet).opcode, now);
    CHECK(from == Arrival::link);
    packet->release();
  }
  std::vector<std::string> waiting() const override {
    return left == 0 ? std::vector<std::string>{} : std::vector<std::string>{"writer: " + std::to_string(left) + " left"};
  }
  void reset() override { left = 0; }
  void describe(ProbeDirectory&, const std::string&) override {}

  void write(Tick now) {
    Packet* packet = seat_.make(Opcode::write, Target::gpu, seat_.place_of(own_addresses + 128 * sent++), 128, true, now);
    nv(*packet).destination = 2;
    seat_.send(packet, now);
  }
  EngineSeat& seat() { return seat_; }

  unsigned left = 0, sent = 0;
  std::vector<std::pair<EngineTimer, Tick>> calls;
  std::vector<std::pair<Opcode, Tick>> arrivals;

 private:
  EngineSeat seat_;
};

}  // namespace

TEST_CASE("engine: its offered packets are paced, with lower priority than engines in lower seats", "[pure][gpu][engine]") {
  GpuBench b;
  Writer& writer = b.add_engine<Writer>("writer");
  writer.left = 3;
  CHECK(b.core->waiting() == std::vector<std::string>{"writer: 3 left"});
  writer.seat().call_from_host(EngineTimer::before_issue, t0);
  CHECK(b.wakes == std::vector<Tick>{t0});
  b.post(DmaStage::Kind::push, 4);
  b.core->run_until(2'000'000);
  // DMA engine: blocks 0 to 3 at t0, t0 + 960, ...; each leaves one memory read later. Then the writer, without a read.
  const std::vector<Sent> operands = b.of(Opcode::red_write), writes = b.of(Opcode::write);
  REQUIRE((operands.size() == 4 && writes.size() == 3));
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(operands[i].head == t0 + i * 960 + read_time + hop);
  for (std::uint64_t i = 0; i < 3; ++i) {
    CHECK(writes[i].head == t0 + (4 + i) * 960 + hop);
    CHECK((writes[i].header.source == 1 && writes[i].header.destination == 2 && writes[i].vc == request_vc));
  }
  CHECK(writer.calls == std::vector<std::pair<EngineTimer, Tick>>{{EngineTimer::before_issue, t0}});
}

TEST_CASE("engine: packets to its own addresses reach it, and no other engine", "[pure][gpu][engine]") {
  GpuBench b;
  Writer& writer = b.add_engine<Writer>("writer");
  unsigned delivered = 0;
  b.core->delivered.attach(&delivered, [](void* n, Tick, const PacketView&) { ++*static_cast<unsigned*>(n); });
  const std::vector<std::uint32_t> before = b.memory;
  for (const Opcode opcode : {Opcode::write, Opcode::mc_write, Opcode::ack}) {
    Packet* packet = b.packet(opcode, 5, 1, 77);
    nv(*packet).address = own_addresses + 640;
    b.receive(packet, 2'000'000 + 1000 * static_cast<Tick>(opcode));
  }
  REQUIRE(writer.arrivals.size() == 3);
  CHECK((writer.arrivals[0] == std::pair<Opcode, Tick>{Opcode::write, 2'000'000}));
  CHECK(delivered == 0);
  CHECK(b.memory == before);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("engine: its timers fire in order, and a new time replaces the old one", "[pure][gpu][engine]") {
  GpuBench b;
  Writer& writer = b.add_engine<Writer>("writer");
  writer.seat().call(EngineTimer::after_issue, 500);
  writer.seat().call(EngineTimer::before_issue, 500);
  b.core->run_until(400);
  CHECK(writer.calls.empty());
  b.core->run_until(500);
  using Calls = std::vector<std::pair<EngineTimer, Tick>>;
  CHECK(writer.calls == Calls{{EngineTimer::before_issue, 500}, {EngineTimer::after_issue, 500}});
  writer.seat().call(EngineTimer::after_issue, 900);
  writer.seat().call(EngineTimer::after_issue, 700);
  b.core->run_until(1000);
  CHECK(writer.calls.size() == 3);
  CHECK(writer.calls.back().second == 700);
  writer.seat().call(EngineTimer::after_issue, 2000);
  writer.seat().call(EngineTimer::after_issue, never);
  b.core->run_until(3000);
  CHECK(writer.calls.size() == 3);
}

TEST_CASE("engine: packets to its own addresses have separate room in the queue of a link", "[pure][gpu][engine]") {
  GpuBench b;
  Writer& writer = b.add_engine<Writer>("writer");
  // No credits return: 306 flits, 34 packets of a link leave; 64 wait.
  b.core->run_until(0);
  const unsigned port = 0;
  unsigned sent = 0;
  for (; writer.seat().room(port, 1'000'000) && sent < 1000; ++sent) {
    Packet* packet = writer.seat().make(Opcode::write, Target::gpu, writer.seat().place_of(own_addresses), 128, false, 0);
    nv(*packet).plane = port;
    writer.seat().send(packet, 0);
  }
  CHECK(sent == 34 + 64);
  CHECK(writer.seat().pause_unless_room(port, 1'000'000));  // paced packets have their own room
}

TEST_CASE("a program that no engine runs is refused", "[pure][gpu][engine]") {
  GpuBench b;
  GpuProgram program;
  program.commands.emplace_back();
  b.core->post(program, t0);  // runs on the executor
  EngineTable none;
  CHECK_THROWS_AS(none.load(program), std::invalid_argument);
}

}  // namespace tributary::test_gpu_engine
