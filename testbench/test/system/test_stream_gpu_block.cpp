// GPUs with copy engines over direct links: times by hand (docs/blocks/stream_gpu.md).
#include <catch2/catch.hpp>

#include "testbench/test/harness/stream_gpu_bench.h"

namespace tributary::test_stream_gpu_block {
namespace {

constexpr Tick flit = 640;                  // 16 B at 25 GB/s
constexpr Tick latency = 20'000;            // latency of a link
constexpr Tick token = 2 * flit + latency;  // from a record's end to its value at the peer
constexpr Tick us = 1'000'000, launch = 2'500'000, release = 1'500'000, acquire = us;
constexpr std::uint64_t MB = 1'000'000, MiB = 1 << 20;

/// The time of a copy on one link, in packets of 256 B and a header flit.
constexpr Tick wire(std::uint64_t bytes) { return ((bytes + 15) / 16 + (bytes + 255) / 256) * flit; }

/// A broadcast along GPUs 0, 1, ... in chunks: each forwards a chunk when all of it has arrived.
std::vector<StreamScript> chain(unsigned gpus, std::uint64_t bytes, unsigned chunks) {
  std::vector<StreamScript> scripts(gpus);
  const std::uint64_t chunk = bytes / chunks;
  for (unsigned g = 0; g < gpus; ++g)
    for (unsigned c = 0; c < chunks; ++c) {
      if (g > 0) scripts[g].wait(0, 0, c + 1, g - 1);
      if (g + 1 < gpus) scripts[g].copy(0, g + 1, chunk, c * chunk, c * chunk).record(0, g + 1, 0);
    }
  return scripts;
}
StreamBenchSpec chain_spec(unsigned gpus, unsigned links = 1) {
  StreamBenchSpec spec;
  spec.gpus = gpus;
  spec.pairs.clear();
  for (unsigned g = 0; g + 1 < gpus; ++g) spec.pairs.push_back({g, g + 1, links});
  return spec;
}
StreamBenchSpec with(StreamBenchSpec spec, const StreamGpuParams& params) {
  spec.params = params;
  return spec;
}
/// Three GPUs that reduce to GPU 0 and receive the sum, in chunks, over bonded links of GPUs 0 and 1; each on its own
/// streams. Mailboxes are at `bytes` and 2 x `bytes`.
std::vector<StreamScript> all_reduce(std::uint64_t bytes, unsigned chunks) {
  std::vector<StreamScript> s(3);
  const std::uint64_t chunk = bytes / chunks;
  for (unsigned c = 0; c < chunks; ++c) {
    const std::uint64_t at = c * chunk;
    for (unsigned g = 1; g < 3; ++g) {
      s[g].copy(0, 0, chunk, at, bytes * g + at).record(0, 0, g - 1);
      s[0].wait(0, g - 1, c + 1, g);
    }
    s[0].kernel(0, chunk, at, {bytes + at, 2 * bytes + at}).record(0, 0, 2);
    for (unsigned g = 1; g < 3; ++g) {
      s[0].wait(g, 2, c + 1, 0).copy(g, g, chunk, at, at).record(g, g, 0);
      s[g].wait(1, 0, c + 1, 0);
    }
  }
  return s;
}
StreamBenchSpec star_spec() {
  StreamBenchSpec spec;
  spec.gpus = 3;
  spec.pairs = {{0, 1, 2}, {2, 0, 1}};
  spec.params = StreamBenchSpec::usual();
  return spec;
}

}  // namespace

TEST_CASE("stream gpu: a chain of four GPUs takes 3T in one chunk and 2T in two", "[block]") {
  // Blink, Figure 10: hops + chunks - 1 chunks in sequence, each with a record and no other overhead
  StreamBench bench(chain_spec(4));
  const std::uint64_t bytes = 64 * MiB;
  const Tick T = wire(bytes);
  const std::vector<Tick> one = bench.run(chain(4, bytes, 1));
  CHECK(one[3] == 3 * (T + token));
  const std::vector<Tick> two = bench.run(chain(4, bytes, 2));
  // the second chunk follows the first one's record on the wire
  CHECK(two[3] == 2 * T + 3 * token + 2 * flit);
  CHECK(bench.waiting().empty());
  CHECK(bench.pool.live() == 0);
}

TEST_CASE("stream gpu: the times of commands add up along a chain", "[block]") {
  StreamBench bench(with(chain_spec(3), StreamBenchSpec::usual()));
  const std::vector<Tick> ends = bench.run(chain(3, 4 * MB, 1));
  CHECK(ends[0] == launch + wire(4 * MB) + release);
  CHECK(ends[1] == ends[0] + token + acquire + ends[0]);
  CHECK(ends[2] == 2 * (ends[0] + token + acquire));
}

TEST_CASE("stream gpu: bonded links carry contiguous parts of a copy", "[block]") {
  StreamBenchSpec spec = chain_spec(2, 2);
  spec.memory = 4096;
  StreamBench bench(spec);
  for (unsigned i = 0; i < 4096; ++i) bench.data<std::uint8_t>(0)[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  // 5 packets, the last of 40 B: three on the first link, 256 + 40 B on the second
  const std::vector<Tick> ends =
      bench.run({StreamScript().copy(0, 1, 1064, 100, 300).record(0, 1, 0), StreamScript().wait(0, 0, 1)});
  CHECK(ends[0] == wire(768));
  CHECK(ends[1] == wire(768) + token);
  CHECK(std::memcmp(bench.data<std::byte>(1) + 300, bench.data<std::byte>(0) + 100, 1064) == 0);
  CHECK(bench.data<std::uint8_t>(1)[299] == 0);
  CHECK(bench.data<std::uint8_t>(1)[300 + 1064] == 0);
  // one packet uses one link
  const std::vector<Tick> small = bench.run({StreamScript().copy(0, 1, 16).record(0, 1, 0), StreamScript().wait(0, 0, 1)});
  CHECK(small[1] == wire(16) + token);
  // and an empty copy uses none: the record alone
  const std::vector<Tick> none = bench.run({StreamScript().copy(0, 1, 0).record(0, 1, 0), StreamScript().wait(0, 0, 1)});
  CHECK(none[1] == token);
  CHECK(bench.views.size() == 0);
}

TEST_CASE("stream gpu: no time depends on bursts, windows, or the order of construction", "[block]") {
  const std::uint64_t bytes = 96'000;
  StreamBenchSpec spec = star_spec();
  StreamBench usual(spec);
  StreamBenchSpec small = spec;
  small.params.copy.burst = 1;
  StreamBench burst_1(small, "burst_1");
  small.params.copy.burst = 7;
  StreamBench burst_7(small, "burst_7");
  StreamBenchSpec event = spec;
  event.windowed = false;
  StreamBench by_event(event, "by_event");
  event.order = {2, 0, 1};
  StreamBench by_event_turned(event, "by_event_turned");
  StreamBenchSpec turned = spec;
  turned.order = {2, 1, 0};
  StreamBench backwards(turned, "backwards");
  const std::vector<Tick> ends = usual.run(all_reduce(bytes, 4));
  CHECK(*std::max_element(ends.begin(), ends.end()) != never);
  for (StreamBench* other : {&burst_1, &burst_7, &by_event, &by_event_turned, &backwards}) {
    INFO(other->name());
    CHECK(other->run(all_reduce(bytes, 4)) == ends);
    CHECK(other->waiting().empty());
  }
  CHECK(usual.gpu(0).activations() < by_event.gpu(0).activations());
}

TEST_CASE("stream gpu: links keep their protocol, and none waits for room", "[block]") {
  StreamBenchSpec spec = star_spec();
  spec.monitored = true;
  StreamBench bench(spec);
  bench.run(all_reduce(8 * MB, 4));
  for (const auto& monitor : bench.monitors) {
    monitor->finish();
    CHECK(to_text(monitor->violations()) == "");
    CHECK(monitor->packets() > 100);
  }
  // a copy that lasts 100 times as long as the return of room is sent without a gap
  const std::uint64_t bytes = 32 * MiB;
  CHECK(bench.run({{}, {}, StreamScript().copy(0, 0, bytes)})[2] == launch + wire(bytes));
}

TEST_CASE("stream gpu: room for data never limits a link for any acquire time", "[block]") {
  StreamBenchSpec spec = chain_spec(2);
  spec.params = StreamBenchSpec::usual();
  spec.params.streams.acquire = 50_us;
  StreamBench bench(spec);
  const std::uint64_t bytes = 16 * MiB;
  CHECK(bench.run({StreamScript().copy(0, 1, bytes), {}})[0] == launch + wire(bytes));
}

TEST_CASE("stream gpu: kernels add data of all inputs, one kernel after another", "[block]") {
  StreamBenchSpec spec = chain_spec(2);
  spec.params.kernel.launch = 5_us;
  spec.memory = 64 * 1024;
  StreamBench bench(spec);
  auto* words = bench.data<std::int32_t>(0);
  for (int i = 0; i < 3000; ++i) words[i] = i, words[3000 + i] = 10 * i, words[6000 + i] = 100 * i, words[9000 + i] = -i;
  StreamScript s;
  s.program.type = ElementType::i32;
  s.kernel(0, 12'000, 0, {12'000, 24'000}).kernel(1, 12'000, 36'000, {12'000});
  // simultaneous launches; 12 000 B x 4/3 and x 1 at 300 GB/s
  CHECK(bench.run({s, {}})[0] == 5 * us + 53'334 + 40'000);
  for (int i : {0, 1, 2999}) {
    CHECK(words[i] == 111 * i);
    CHECK(words[9000 + i] == 9 * i);
  }
}

TEST_CASE("stream gpu: all element types and operations are reduced as on the host", "[block]") {
  StreamBenchSpec spec = star_spec();
  const std::uint64_t bytes = 4096;
  spec.memory = 3 * bytes;
  StreamBench bench(spec);
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::i32, ElementType::bf16})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) {
      std::vector<std::vector<std::byte>> data(3, std::vector<std::byte>(bytes));
      for (unsigned g = 0; g < 3; ++g) {
        for (std::uint64_t i = 0; i < bytes; i += element_size(type)) {
          const float x = static_cast<float>((i * 37 + g * 101) % 64) - 20.0f;
          const std::uint16_t half = type == ElementType::f16 ? to_f16(x) : to_bf16(x);
          const auto integer = static_cast<std::int32_t>(x);
          const void* const from = type == ElementType::f32   ? static_cast<const void*>(&x)
                                   : type == ElementType::i32 ? static_cast<const void*>(&integer)
                                                              : static_cast<const void*>(&half);
          std::memcpy(&data[g][i], from, element_size(type));
        }
        std::memcpy(bench.gpu(g).memory(), data[g].data(), bytes);
      }
      std::vector<StreamScript> scripts = all_reduce(bytes, 2);
      for (StreamScript& s : scripts) s.program.type = type, s.program.op = op;
      bench.run(scripts);
      for (unsigned g : {1u, 2u}) apply(op, type, data[0].data(), data[g].data(), bytes);
      for (unsigned g = 0; g < 3; ++g) CHECK(std::memcmp(bench.gpu(g).memory(), data[0].data(), bytes) == 0);
    }
  CHECK(bench.pool.live() == 0);
  CHECK(bench.views.size() == 0);
}

TEST_CASE("stream gpu: a packet in flight keeps the data that it was sent with", "[block]") {
  StreamBenchSpec spec = chain_spec(2);
  spec.params = StreamBenchSpec::usual();
  spec.params.kernel.launch = 0_ns;
  spec.memory = 8192;
  StreamBench bench(spec);
  std::fill_n(bench.data<std::int32_t>(0), 2048, 5);
  StreamScript s;
  s.program.type = ElementType::i32;
  // the sum overwrites the copied bytes 13 ns after they have left, before they affect GPU 1
  s.copy(0, 1, 4096).kernel(0, 4096, 0, {4096}).copy(0, 1, 4096, 0, 4096).record(0, 1, 0);
  bench.run({s, StreamScript().wait(0, 0, 1)});
  CHECK(std::count(bench.data<std::int32_t>(1), bench.data<std::int32_t>(1) + 1024, 5) == 1024);
  CHECK(std::count(bench.data<std::int32_t>(1) + 1024, bench.data<std::int32_t>(1) + 2048, 10) == 1024);
  CHECK(bench.views.size() == 0);
}

}  // namespace tributary::test_stream_gpu_block
