// Streams of GPUs around NVSwitches: times by hand, concurrent copies, records after their data, kernels, a user's
// engines.
#include <catch2/catch.hpp>

#include <cstring>
#include <map>
#include <memory>

#include "modules/base/waiting_since.h"
#include "modules/gpu/stream_engine.h"
#include "testbench/test/harness/slow_engine.h"
#include "testbench/test/harness/stream_machine.h"

namespace tributary::test_stream_engine_block {
namespace {

constexpr Tick launch = 2'500'000, read = 115'200, release = 1'500'000, acquire = 1'000'000;
constexpr Tick pace = 960;  // a block of 144 B over six links of 25 GB/s

void fill(StreamMachine& m, unsigned gpu, std::uint64_t bytes, unsigned seed) {
  for (std::uint64_t i = 0; i < bytes; ++i) m.data<std::byte>(gpu)[i] = static_cast<std::byte>(i * 31 + (i >> 8) * seed);
}
bool quiet(StreamMachine& m) { return m.system.waiting().empty() && m.system.live_packets() == 0; }

/// A record to GPU 1 and its wait, with nothing before them.
Tick record_alone(StreamMachine& m, const StreamMachineSpec& spec) {
  const std::vector<Tick> ends = m.run({StreamScript{}.record(1, 1, 0), StreamScript{}.wait(0, 0)});
  CHECK(ends[0] == spec.params.stream_engine.streams.release.value);
  return ends[1];
}

}  // namespace

TEST_CASE("streams over nvswitches: a copy takes its launch, a read, and its blocks at the rate of all links", "[block]") {
  StreamMachineSpec spec;
  spec.memory = 1 << 20;
  StreamMachine m("copy", one_board(4, 6), spec);
  fill(m, 0, spec.memory, 7);
  const Tick alone = record_alone(m, spec);
  // a flag of 2 flits: two links with 20 ns of wire each, and a switch; it is sent and received as a whole
  CHECK(alone >= release + 2 * 20'000 + 150'000 + 2 * 640 + acquire);
  CHECK(alone <= release + 2 * 20'000 + 150'000 + 3 * 2 * 640 + acquire);
  for (const std::uint64_t blocks : {1ull, 15ull, 4096ull}) {
    const std::uint64_t bytes = blocks * 128;
    const std::vector<Tick> ends = m.run({StreamScript{}.copy(1, 1, bytes).record(1, 1, 0), StreamScript{}.wait(0, 0)});
    CHECK(ends[0] == launch + read + blocks * pace + release);
    CHECK(ends[1] - alone == launch + read + blocks * pace);  // all acks have arrived before the release ends
    CHECK(std::memcmp(m.data<char>(0), m.data<char>(1), bytes) == 0);
    CHECK(quiet(m));
  }
  CHECK(m.run({StreamScript{}.copy(1, 1, 0)})[0] == launch + read);
}

TEST_CASE("streams over nvswitches: a record without cost waits for the acks of its data", "[block]") {
  StreamMachineSpec spec;
  spec.memory = 1 << 16;
  spec.params.stream_engine.streams.release = spec.params.stream_engine.streams.acquire = 0_ns;
  StreamMachine m("fence", one_board(4, 6), spec);
  const Tick flag = record_alone(m, spec);
  const std::vector<Tick> ends = m.run({StreamScript{}.copy(1, 1, 128).record(1, 1, 0), StreamScript{}.wait(0, 0)});
  CHECK(ends[0] == launch + read + pace);
  // the block's 9 flits and its ack's one, each over two links and a switch, and then the flag
  const Tick there_and_back = 2 * (2 * 20'000 + 150'000) + (9 + 1) * 640;
  CHECK(ends[1] - flag >= launch + read + there_and_back);
  CHECK(ends[1] - flag <= launch + read + there_and_back + 2 * (9 + 1) * 640);
}

TEST_CASE("streams over nvswitches: concurrent copies take turns, or each uses all links in sequence", "[block]") {
  StreamMachineSpec turns, first;
  turns.memory = first.memory = 1 << 20;
  first.params.stream_engine.copy.arbitration = CopyArbitration::first;
  StreamMachine shared("turns", one_board(4, 6), turns), serial("first", one_board(4, 6), first);
  const Tick alone = record_alone(shared, turns);
  constexpr std::uint64_t blocks = 3000;
  constexpr Tick flag = 2 * 640;  // all three use the plane of semaphore 0, and the copies end 960 ps after one another
  for (StreamMachine* m : {&shared, &serial}) {
    StreamScript zero;
    for (unsigned peer = 1; peer < 4; ++peer) zero.copy(peer, peer, blocks * 128).record(peer, peer, 0);
    const StreamScript other = StreamScript{}.wait(0, 0);
    const std::vector<Tick> ends = m->run({zero, other, other, other});
    for (Tick peer = 1; peer < 4; ++peer) {
      const Tick took = ends[peer] - alone - launch - read;
      if (m == &shared)
        CHECK(took == (3 * blocks - 3 + peer) * pace + (peer - 1) * (flag - pace));
      else
        CHECK(took == peer * blocks * pace + (peer - 1) * (launch + read));
    }
    CHECK(quiet(*m));
  }
}

TEST_CASE("streams over nvswitches: two senders share the links of their receiver", "[block]") {
  StreamMachineSpec spec;
  spec.memory = 2 << 20;
  StreamMachine m("incast", one_board(4, 6), spec);
  const Tick alone = record_alone(m, spec);
  fill(m, 0, 1 << 20, 3), fill(m, 2, 1 << 20, 5);
  constexpr std::uint64_t blocks = (1 << 20) / 128;
  const std::vector<Tick> ends = m.run({StreamScript{}.copy(0, 1, 1 << 20).record(0, 1, 0), StreamScript{}.wait(0, 0, 2),
                                        StreamScript{}.copy(0, 1, 1 << 20, 0, 1 << 20).record(0, 1, 0)});
  const Tick took = ends[1] - alone - launch - read;
  CHECK(took + release >= 2 * blocks * pace);
  CHECK(took <= 2 * blocks * pace + 1'000'000);
  CHECK(std::memcmp(m.data<char>(0), m.data<char>(1), 1 << 20) == 0);
  CHECK(std::memcmp(m.data<char>(2), m.data<char>(1) + (1 << 20), 1 << 20) == 0);
}

TEST_CASE("streams over nvswitches: kernels add, and their accesses are counted", "[block]") {
  StreamMachineSpec spec;
  spec.memory = 4 << 20;
  spec.params.stream_engine.kernel.rate = 300_GBps;
  StreamMachine m("kernel", one_board(2, 6), spec);
  constexpr std::uint64_t bytes = 300'000, n = bytes / 4;
  for (std::uint64_t i = 0; i < 3 * n; ++i) m.data<float>(0)[i] = static_cast<float>(i % 1000) / 8;
  StreamScript script;
  script.kernel(0, bytes, 0, {bytes, 2 * bytes});
  CHECK(m.run({script})[0] == 5'000'000 + 1'333'334);  // four accesses per byte at a third of 300 GB/s each
  bool right = true;
  for (std::uint64_t i = 0; i < n; ++i) {
    const float sum = static_cast<float>((i % 1000) + ((i + n) % 1000) + ((i + 2 * n) % 1000)) / 8;
    right = right && m.data<float>(0)[i] == sum;
  }
  CHECK(right);
  const std::uint64_t blocks = (bytes + 127) / 128;
  CHECK(m.system.gpu(0).memory_use().reads == 3 * blocks);
  CHECK(m.system.gpu(0).memory_use().writes == blocks);
}

TEST_CASE("streams over nvswitches: a copy engine of half the rate, made for direct links, may be bound from outside",
          "[block]") {
  constexpr Tick flit = 160, block = 9 * flit;  // for four links together
  StreamMachineSpec spec;
  spec.memory = 1 << 20;
  spec.params.stream_engine.copy.engines = 1;
  StreamMachine model("model", one_board(3, 4), spec);
  spec.outside_engines = true;
  StreamMachine own("own", one_board(3, 4), spec);
  std::vector<std::unique_ptr<SlowEngine>> engines;
  for (unsigned g = 0; g < 3; ++g) {
    engines.push_back(std::make_unique<SlowEngine>(("engine" + std::to_string(g)).c_str(), launch, flit));
    StreamEngine& streams = own.system.stream_engine(g);
    streams.engine_commands[0].bind(engines[g]->commands);
    engines[g]->wire.bind(streams.engine_wires[0]);
    engines[g]->memory.bind(streams.engine_memory().socket);
  }
  constexpr Tick blocks = 15 * 500;
  const StreamScript one = StreamScript{}.copy(0, 1, blocks * 128);
  CHECK(model.run({one})[0] == launch + read + blocks * block);
  fill(own, 0, 1 << 20, 11);
  CHECK(own.run({one})[0] == launch + read + (2 * blocks - 15) * block);  // no gap after the last burst
  CHECK(std::memcmp(own.data<char>(0), own.data<char>(1), blocks * 128) == 0);
  // it does two copies concurrently: they share the links without loss, and the model's engine needs the same time for
  // the two in sequence
  const StreamScript two = StreamScript{one}.copy(1, 2, blocks * 128);
  CHECK(model.run({two})[0] == 2 * (launch + read + blocks * block));
  const Tick both = own.run({two})[0] - launch - read;
  CHECK(both >= (2 * blocks - 15) * block);
  CHECK(both <= 2 * blocks * block);
  CHECK(std::memcmp(own.data<char>(0), own.data<char>(2), blocks * 128) == 0);
  CHECK((quiet(own) && quiet(model)));
}

TEST_CASE("streams over nvswitches: probes have the same names as in a stream GPU", "[block]") {
  using Shown = std::vector<std::pair<Tick, std::uint64_t>>;
  StreamMachineSpec spec;
  spec.memory = 1 << 16;
  StreamMachine m("probes", one_board(2, 6), spec);
  std::map<std::string, Shown> shown;
  ProbeDirectory probes;
  m.system.gpu(0).describe(probes);
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    probe.attach(&shown[name],
                 [](void* to, Tick now, std::uint64_t value) { static_cast<Shown*>(to)->emplace_back(now, value); });
  });
  const std::string gpu = "probes.gpu0.", streams = gpu + "streams.";
  for (const char* name : {"queue31.stalled", "engine5.copy", "kernel.bytes", "semaphore.acquire", "channel0.step"})
    CHECK(shown.count(streams + name) == 1);
  m.run({StreamScript{}.copy(1, 1, 128 * 100).record(1, 1, 0).kernel(2, 128, 0, {128}), StreamScript{}.wait(0, 0)});
  const Tick left = m.t0 + launch + read + 100 * pace, kernel = m.t0 + 5'000'000;
  CHECK(shown[streams + "queue1.command"] == Shown{{m.t0, 1}, {left, 0}, {left, 2}, {left + release, 0}});
  CHECK(shown[streams + "engine0.busy"] == Shown{{m.t0, 1}, {left, 0}});
  CHECK(shown[streams + "semaphore.release"] == Shown{{left + release, 0}});
  REQUIRE(shown[streams + "kernel.busy"].size() == 2);
  CHECK(shown[streams + "kernel.busy"].front() == std::pair<Tick, std::uint64_t>{kernel, 1});
  CHECK(shown[gpu + "operation.remaining"] == Shown{{m.t0, 3}, {left, 2}, {left + release, 1}, {kernel + 493, 0}});
}

TEST_CASE("streams over nvswitches: a repeated program takes the same time with a reset and without", "[block]") {
  StreamMachineSpec spec;
  spec.memory = 1 << 18;
  StreamMachine m("again", two_boards(2, 2, 2), spec);
  const auto scripts = [] {
    std::vector<StreamScript> all(4);
    for (unsigned g = 0; g < 4; ++g)
      for (unsigned hop = 1; hop < 4; ++hop)
        all[g].copy(hop, (g + hop) % 4, 10'000, 0, hop * 20'000).record(hop, (g + hop) % 4, 0).wait(0, 0, 3);
    return all;
  };
  const std::vector<Tick> once = m.run(scripts());
  CHECK(m.run(scripts()) == once);
  m.reset();
  CHECK(m.run(scripts()) == once);
  for (const Tick end : once) CHECK(end != never);
  // the program is ended in the middle
  m.start(scripts());
  sc_core::sc_start(3700, sc_core::SC_NS);  // blocks are in flight: they begin 2.6 us after t0, which is 1 us from now
  CHECK_FALSE(quiet(m));
  m.reset();
  CHECK(quiet(m));
  CHECK(m.run(scripts()) == once);
}

TEST_CASE("streams over nvswitches: reports of deadlocks name the waits, and illegal programs are refused", "[block]") {
  StreamMachineSpec spec;
  spec.memory = 1 << 16;
  StreamMachine m("stuck", one_board(2, 6), spec);
  const std::vector<Tick> ends = m.run({StreamScript{}.record(3, 1, 0), StreamScript{}.wait(2, 0, 2, 0)});
  CHECK(ends == std::vector<Tick>{release, never});
  std::vector<std::string> waiting = m.system.waiting();
  CHECK(cut_waiting_since(waiting.front()) > 0);
  CHECK(waiting ==
        std::vector<std::string>{"stuck.gpu1.streams.queue2: stream 2 waits for semaphore 0 to be 2 (it is 1), to which "
                                 "gpu0 adds, 1 commands left"});
  m.reset();
  const auto post = [&](StreamScript script) { m.post(0, std::move(script.program), kernel_now() + 1'000'000); };
  CHECK_THROWS_WITH(post(StreamScript{}.copy(0, 1, 1000, 0, 65'000)),
                    "gpu0: 1000 B at address 65000 of gpu1 are not mapped");
  CHECK_THROWS_WITH(post(StreamScript{}.copy(0, 2, 128)), "gpu0: no path to gpu2 over NVLink");
  CHECK_THROWS_WITH(post(StreamScript{}.peer_switch(0, 1)),
                    "gpu0: a switch of peer access, and all peers are at NVSwitches");
}

}  // namespace tributary::test_stream_engine_block
