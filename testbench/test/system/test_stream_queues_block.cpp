// Queues, engines and links that streams share (docs/blocks/stream_gpu.md).
#include <catch2/catch.hpp>

#include "testbench/test/harness/stream_gpu_bench.h"
#include "testbench/test/harness/waiting_lines.h"

namespace tributary::test_stream_queues_block {
namespace {

constexpr Tick flit = 640, us = 1'000'000, launch = 2'500'000, release = 1'500'000;
constexpr std::uint64_t MiB = 1 << 20;
constexpr Tick wire(std::uint64_t bytes) { return (bytes / 16 + (bytes + 255) / 256) * flit; }

/// Copies of two streams of GPU 0, in chunks, over one pair; beyond GPU 1 each continues on a link of its own.
std::vector<StreamScript> two_trees(std::uint64_t chunk, unsigned chunks, bool reused) {
  std::vector<StreamScript> s(4);
  for (unsigned c = 0; c < chunks; ++c)
    for (unsigned tree = 0; tree < 2; ++tree) {
      s[0].copy(reused ? 0 : tree, 1, chunk).record(reused ? 0 : tree, 1, tree);
      s[1].wait(tree, tree, c + 1, 0).copy(tree, 2 + tree, chunk).record(tree, 2 + tree, 0);
      s[2 + tree].wait(0, 0, c + 1, 1);
    }
  return s;
}
StreamBenchSpec two_trees_spec(CopyArbitration arbitration) {
  StreamBenchSpec spec;
  spec.gpus = 4;
  spec.pairs = {{0, 1, 2}, {1, 2}, {1, 3}};
  spec.params = StreamBenchSpec::usual();
  spec.params.copy.arbitration = arbitration;
  return spec;
}
Tick last(const std::vector<Tick>& ends) { return *std::max_element(ends.begin(), ends.end()); }

/// Changes of a signal.
struct Seen {
  std::vector<std::uint64_t> values{};
  static void see(void* seen, Tick, std::uint64_t value) { static_cast<Seen*>(seen)->values.push_back(value); }
};

}  // namespace

TEST_CASE("stream queues: of copies over one pair the first goes first, or bursts take turns", "[block]") {
  StreamBenchSpec spec;
  StreamBench first(spec);
  spec.params.copy.arbitration = CopyArbitration::in_turn;
  StreamBench in_turn(spec, "in_turn");
  const std::uint64_t bytes = 256 * 3000;
  const auto scripts = [&] {
    StreamScript receiver;
    receiver.wait(0, 0, 1);
    return std::vector<StreamScript>{
        StreamScript().copy(0, 1, bytes).record(0, 1, 0).copy(1, 1, bytes).record(1, 1, 1).semaphores(2),
        StreamScript().wait(0, 0).semaphores(2)};
  };
  const Tick T = wire(bytes), token = 2 * flit + 20'000;
  CHECK(first.run(scripts()) == std::vector<Tick>{2 * T + 2 * flit, T + token});
  // both end with the last bursts; the last one of stream 0 precedes that of stream 1
  CHECK(in_turn.run(scripts()) == std::vector<Tick>{2 * T + 2 * flit, 2 * T - 15 * 17 * flit + token});
}

TEST_CASE("stream queues: a stream that keeps its links starves the other tree, and sharing a stream prevents it",
          "[block]") {
  const std::uint64_t chunk = 8 * MiB;
  StreamBench in_turn(two_trees_spec(CopyArbitration::in_turn));
  StreamBench sticky(two_trees_spec(CopyArbitration::sticky), "sticky");
  StreamBench first(two_trees_spec(CopyArbitration::first), "first");
  StreamBench reused(two_trees_spec(CopyArbitration::sticky), "reused");
  Seen owners;
  ProbeDirectory probes;
  sticky.gpu(0).describe(probes);
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) {
    if (name == "sticky.gpu0.peer1.owner") probe.attach(&owners, Seen::see);
  });
  const Tick fair = last(in_turn.run(two_trees(chunk, 8, false)));
  const Tick starved = last(sticky.run(two_trees(chunk, 8, false)));
  const Tick healed = last(reused.run(two_trees(chunk, 8, true)));
  CHECK(owners.values == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
  // 8 chunks are forwarded at half the rate of the pair: the chunks of the second tree begin after half of the time
  const double ratio = static_cast<double>(starved) / static_cast<double>(fair);
  CHECK(ratio > 1.35);
  CHECK(ratio < 1.5);
  CHECK(static_cast<double>(fair) / static_cast<double>(healed) > 0.95);
  CHECK(static_cast<double>(fair) / static_cast<double>(last(first.run(two_trees(chunk, 8, false)))) > 0.95);
}

TEST_CASE("stream queues: streams on one queue wait for each other", "[block]") {
  StreamBenchSpec spec;
  spec.params = StreamBenchSpec::usual();
  spec.gpus = 3;
  spec.pairs = {{0, 1}, {0, 2}};
  StreamBench own(spec);
  spec.params.streams.queues = 1;
  StreamBench shared(spec, "shared");
  const auto scripts = [] { return std::vector<StreamScript>{StreamScript().copy(0, 1, MiB).copy(1, 2, MiB), {}, {}}; };
  CHECK(own.run(scripts())[0] == launch + wire(MiB));
  CHECK(shared.run(scripts())[0] == 2 * (launch + wire(MiB)));
}

TEST_CASE("stream queues: the report of a deadlock of a shared queue names the waits", "[block]") {
  const auto scripts = [] {
    // GPU 1 answers stream 1 only; on one queue stream 1 is queued after stream 0, which waits for the answer
    return std::vector<StreamScript>{StreamScript().wait(0, 3, 1, 1).record(1, 1, 0),
                                     StreamScript().wait(0, 0, 1, 0).record(0, 0, 3)};
  };
  StreamBenchSpec spec;
  StreamBench own(spec);
  spec.params.streams.queues = 1;
  StreamBench shared(spec, "shared");
  CHECK(own.run(scripts())[0] != never);
  CHECK(shared.run(scripts())[0] == never);
  CHECK(without_times(shared.waiting()) ==
        std::vector<std::string>{
            "shared.gpu0.queue0: stream 0 waits for semaphore 3 to be 1 (it is 0), to which gpu1 adds, 2 commands left",
            "shared.gpu1.queue0: stream 0 waits for semaphore 0 to be 1 (it is 0), to which gpu0 adds, 2 commands left"});
  // a reset restores the initial state
  for (unsigned g = 0; g < 2; ++g) shared.gpu(g).reset();
  CHECK(shared.waiting().empty());
  CHECK(shared.run({StreamScript().copy(0, 1, 256), {}})[0] == wire(256));
}

TEST_CASE("stream queues: an engine is not held for busy links", "[block]") {
  StreamBenchSpec spec;
  spec.gpus = 3;
  spec.pairs = {{0, 1}, {0, 2}};
  spec.params.copy.engines = 2;
  StreamBench two(spec);
  spec.params.copy.engines = 1;
  StreamBench one(spec, "one");
  const auto scripts = [] {
    return std::vector<StreamScript>{
        StreamScript().copy(0, 1, MiB).copy(1, 1, MiB).copy(2, 2, MiB).record(2, 2, 0), {}, StreamScript().wait(0, 0, 1)};
  };
  const Tick T = wire(MiB), token = 2 * flit + 20'000;
  CHECK(two.run(scripts()) == std::vector<Tick>{2 * T, 0, T + token});
  CHECK(one.run(scripts()) == std::vector<Tick>{3 * T, 0, 3 * T + token});
}

TEST_CASE("stream queues: the host issues commands in sequence and switches peer access", "[block]") {
  StreamBenchSpec spec;
  spec.params.streams.issue = 10_us;
  spec.params.host.peer_switch = 450_us;
  StreamBench bench(spec);
  CHECK(bench.run({StreamScript().copy(0, 1, 256).copy(1, 1, 256).copy(2, 1, 256), {}})[0] == 30 * us + wire(256));
  CHECK(bench.run({StreamScript().peer_switch(0, 3), {}})[0] == 10 * us + 1350 * us);
}

TEST_CASE("stream queues: a wait takes its time for a value that is present, and a record for its own GPU sends no packet",
          "[block]") {
  StreamBenchSpec spec;
  spec.params = StreamBenchSpec::usual();
  StreamBench bench(spec);
  StreamScript s;
  s.record(0, 0, 0).wait(1, 0, 1).wait(2, 0, 1).wait(2, 0, 1);
  CHECK(bench.run({s, {}})[0] == release + 2 * us);
  CHECK(bench.gpu(0).port(0).transmitter().traffic().packets == 0);
}

TEST_CASE("stream queues: illegal programs are refused in one line", "[block]") {
  StreamBenchSpec spec;
  spec.memory = 1024;
  StreamBench bench(spec);
  const auto refused = [&](StreamScript script) {
    try {
      bench.gpu(0).post(std::move(script.program), StreamBench::t0);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(StreamScript().copy(0, 2, 16)) == "gpu0: no path to gpu2 over NVLink");
  StreamScript by_pcie;
  by_pcie.copy(0, 1, 16).program.commands[0].path = CopyPath::pcie;
  CHECK(refused(by_pcie) == "gpu0: no path to gpu1 over PCIe");
  CHECK(refused(StreamScript().copy(0, 1, 512, 600)) == "gpu0: 512 B at address 600 of a memory of 1024 B");
  CHECK(refused(StreamScript().record(0, 0, 1)) == "gpu0: semaphore 1 of 0");
  CHECK(refused(StreamScript().kernel(0, 16, 0, {})) == "gpu0: a kernel of 0 inputs (legal: 1 to 8)");
  CHECK(refused(StreamScript().kernel(0, 18, 0, {64})) == "gpu0: a kernel of 18 B (legal: whole elements)");
  CHECK(bench.run({{}, {}}) == std::vector<Tick>{0, 0});
}

}  // namespace tributary::test_stream_queues_block
