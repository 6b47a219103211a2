// GPUs with copy engines over direct links: times by hand (docs/blocks/stream_gpu.md).
#include <catch2/catch.hpp>

#include "testbench/test/harness/stream_gpu_bench.h"

using namespace tributary;

namespace {

constexpr Tick flit = 640;         // 16 B at 25 GB/s
constexpr Tick latency = 20'000;   // of a link
constexpr Tick token = 2 * flit + latency;  // from a record's end to its value at the peer
/// Bytes of a copy on one link, in packets of 256 B and a header flit.
constexpr Tick wire(std::uint64_t bytes) { return (bytes / 16 + (bytes + 255) / 256) * flit; }
constexpr std::uint64_t MB = 1'000'000;

/// A broadcast along GPUs 0, 1, ... in chunks: each forwards a chunk when all of it has come.
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
StreamBenchSpec chain_spec(unsigned gpus) {
  StreamBenchSpec spec;
  spec.gpus = gpus;
  spec.pairs.clear();
  for (unsigned g = 0; g + 1 < gpus; ++g) spec.pairs.push_back({g, g + 1});
  return spec;
}

}  // namespace

TEST_CASE("stream gpu: a chain of four GPUs takes 3T in one chunk and 2T in two", "[block]") {
  // Blink, Figure 10: hops + chunks - 1 chunks one after another, each with a record and no other overhead
  StreamBench bench(chain_spec(4));
  const std::uint64_t bytes = 64 * 1024 * 1024;
  const Tick T = wire(bytes);
  const std::vector<Tick> one = bench.run(chain(4, bytes, 1));
  CHECK(one[3] == 3 * (T + token));
  const std::vector<Tick> two = bench.run(chain(4, bytes, 2));
  // the second chunk is behind the first one's record on the wire, and so at each hop
  CHECK(two[3] == 3 * (T / 2 + token) + T / 2 + 2 * flit);
  CHECK(two[3] - one[3] + T == 2 * flit);
  CHECK(bench.waiting().empty());
  CHECK(bench.pool.live() == 0);
}

TEST_CASE("stream gpu: what commands take adds up along a chain", "[block]") {
  StreamBenchSpec spec = chain_spec(3);
  spec.params = StreamBenchSpec::usual();
  StreamBench bench(spec);
  const std::vector<Tick> ends = bench.run(chain(3, 4 * MB, 1));
  const Tick hop = 2'500'000 + wire(4 * MB) + 1'500'000 + token + 1'000'000;
  CHECK(ends[0] == 2'500'000 + wire(4 * MB) + 1'500'000);
  CHECK(ends[2] == 2 * hop);
}
