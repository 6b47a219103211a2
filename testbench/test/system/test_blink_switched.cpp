/// Servers of files whose GPUs are joined by NVSwitches: right data, both modes agree, rates by arithmetic
/// (docs/blocks/pcie.md#nvswitches).
#include <catch2/catch.hpp>

#include "testbench/family/blink/algorithms.h"
#include "testbench/run/errors.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_blink_switched {

using Catch::Matchers::Contains;

namespace {

constexpr Bytes MB(std::uint64_t n) { return bytes(n * 1'000'000); }
/// Payload of six NVLinks of 25 GB/s: packets of 256 B after headers of 16.
constexpr double six_links = 6 * 25.0 * 256 / 272;

RunSpec spec_of(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                const std::vector<Bytes>& sizes, const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, algorithm, gpus, sizes, settings);
  spec.platform = "nccl_xml:" + shipped_path("dgx2.xml");
  return spec;
}
double rate(const RunSpec& spec) { return run_one(without_data(spec)).row.algbw_GBps(); }

const std::vector<std::string> no_overheads{"blink.streams.acquire=0ns", "blink.streams.release=0ns",
                                            "blink.copy.launch=0ns",     "blink.kernel.launch=0ns",
                                            "blink.copy.engines=16",     "blink.chunk=1MB"};

}  // namespace

TEST_CASE("blink over NVSwitches: every collective is right in both modes", "[system][blink]") {
  for (const TreeAlgorithm& m : tree_algorithms())
    for (const std::vector<int>& gpus : {std::vector<int>{9, 2}, {0, 5, 8, 13, 3}}) {
      INFO(m.algorithm.collective << " by " << m.algorithm.name << " of " << gpus.size() << " GPUs");
      check_modes(spec_of(m.algorithm.collective, m.algorithm.name, gpus, {4_B, 1000_B, 100_KiB}, {"blink.chunk=16KiB"}));
    }
}

TEST_CASE("blink over NVSwitches: rings and two servers are right in both modes", "[system][blink]") {
  for (const char* collective : {"allreduce", "broadcast"})
    check_modes(spec_of(collective, "nccl", {0, 1, 2, 8, 15}, {100_B, 100_KiB}));
  for (const char* algorithm : {"blink", "nccl"}) {
    RunSpec spec = spec_of("allreduce", algorithm, {0, 9, 16, 20, 31}, {100_KiB});
    spec.platform = "servers:2x" + spec.platform.name();
    check_modes(spec);
  }
}

TEST_CASE("blink over NVSwitches: two servers of A100 or H100 use their NICs, right in both modes", "[system][blink]") {
  for (const char* platform : {"servers:2xa100", "servers:2xh100"})
    for (const char* algorithm : {"blink", "nccl"}) {
      INFO(platform << " by " << algorithm);
      RunSpec spec = spec_of("allreduce", algorithm, {0, 3, 9, 15}, {100_KiB}, {"blink.net.nics=8"});
      spec.platform = platform;
      check_modes(spec);
    }
}

// One copy uses all links of its GPU.
TEST_CASE("blink over NVSwitches: a broadcast of two GPUs has the rate of a GPU's links", "[system][blink]") {
  CHECK(rate(spec_of("broadcast", "blink", {3, 12}, {MB(100)}, {"blink.chunk=100MB"})) == Approx(six_links).epsilon(0.01));
}

// Each GPU sends its sixteenth of the message to 15 others, concurrently, each GPU beginning with a different peer.
TEST_CASE("blink over NVSwitches: an all-gather fills all links", "[system][blink]") {
  const double all = rate(spec_of("allgather", "blink", first_gpus(16), {MB(100)}, no_overheads));
  CHECK(all <= 16.0 / 15 * six_links * 1.0001);
  CHECK(all > 0.97 * 16.0 / 15 * six_links);
}

// Copies that run at the same time mix bursts to different GPUs on the links of one. A FIFO holds up all of them when one
// output is busy.
TEST_CASE("blink over NVSwitches: more copy engines than peers cost little with a queue for each output",
          "[system][blink]") {
  const auto of = [](const std::string& engines, const std::string& queues) {
    return rate(spec_of("allreduce", "blink", first_gpus(8), {MB(64)},
                        {"blink.chunk=1MB", "blink.copy.engines=" + engines, "blink.nvswitch.queues=" + queues}));
  };
  const double six = of("6", "output"), eight = of("8", "output"), sixteen = of("16", "output");
  CHECK(eight > 0.9 * six);
  CHECK(sixteen > 0.9 * six);
  CHECK(of("8", "fifo") < 0.9 * eight);  // an input holds up what goes to other outputs
}

// 2 (N - 1)/N of the message leave each GPU through channels of 20 GB/s.
TEST_CASE("blink over NVSwitches: rings have as many channels as a GPU has links", "[system][blink]") {
  const double all = rate(spec_of("allreduce", "nccl", first_gpus(16), {MB(200)}));
  CHECK(all <= 16.0 / 30 * 6 * 20);
  CHECK(all > 0.95 * 16.0 / 30 * 6 * 20);
}

TEST_CASE("blink over NVSwitches: all links of a GPU together may be as fast as the fastest legal link", "[pure]") {
  CHECK_THROWS_WITH(resolve_parameters(spec_of("allreduce", "blink", {0, 1}, {4_B}, {"blink.nvlink.rate=2TB/s"})),
                    Contains("blink.nvlink.rate=2TB/s for each of 6 NVLinks") && Contains("10TB/s"));
}

}  // namespace tributary::test_blink_switched
