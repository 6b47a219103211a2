/// Copies that read the memory of the sender: right data, both modes agree, rates by arithmetic, refusals.
#include <catch2/catch.hpp>

#include "testbench/family/blink/algorithms.h"
#include "testbench/run/errors.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_reading_copies_system {
namespace {

RunSpec spec_of(const std::string& collective, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings) {
  std::vector<std::string> all{"blink.copies=read", "blink.chunk=16KiB"};
  all.insert(all.end(), settings.begin(), settings.end());
  RunSpec spec = collective_spec(collective, "blink", gpus, sizes, all);
  spec.platform = "dgx1v";
  return spec;
}

/// Returns the rate of a broadcast over the two links of GPUs 0 and 3, in one chunk.
double rate_of(const std::vector<std::string>& settings) {
  std::vector<std::string> all{"blink.chunk=20MB"};
  all.insert(all.end(), settings.begin(), settings.end());
  return run_one(without_data(spec_of("broadcast", {0, 3}, {bytes(20'000'000)}, all))).row.algbw_GBps();
}

}  // namespace

TEST_CASE("copies that read: every collective is right in both modes", "[system][blink]") {
  for (const TreeAlgorithm& m : tree_algorithms())
    for (const std::vector<int>& gpus : {std::vector<int>{0, 1}, {7, 2, 6, 5, 1}, {6, 1, 3, 4}}) {
      INFO(m.algorithm.collective << " of " << gpus.size() << " GPUs");
      check_modes(spec_of(m.algorithm.collective, gpus, {4_B, 1000_B, 100_KiB}, {}));
    }
}

TEST_CASE("copies that read: with a limited memory and few queues, data are right in both modes", "[system][blink]") {
  check_modes(spec_of("allreduce", {0, 1, 2, 3, 4, 5, 6, 7}, {300_KiB},
                      {"blink.memory.rate=100GB/s", "blink.streams.queues=2", "blink.memory.latency=400ns"}));
}

TEST_CASE("copies that read: bytes cross the same links", "[system][blink]") {
  for (const char* direction : {"blink.copies=read", "blink.copies=write"}) {
    const Run run = run_one(without_data(spec_of("broadcast", {0, 3}, {bytes(1'024'000)}, {direction})));
    CHECK(run.row.counters.at("copied.nvlink_bytes") == 1'024'000);
  }
}

TEST_CASE("copies that read: a window passes once in each round trip", "[system][blink]") {
  const double links = 2 * 25.0 * 256 / 272;
  CHECK(rate_of({}) > 0.95 * links);         // 64 KiB for each link
  const double round_trip = 2 * 1020 + 1.3;  // ns: both ways a link and `streams.acquire`, and the request
  for (const unsigned bursts : {2, 8}) {
    const unsigned window = bursts * 3840;
    CHECK(rate_of({"blink.copy.window=" + std::to_string(window) + "B"}) == Approx(window / round_trip).epsilon(0.03));
  }
  CHECK(rate_of({"blink.copy.window=7680B", "blink.memory.latency=1us"}) ==
        Approx(7680 / (round_trip + 1000)).epsilon(0.03));
}

TEST_CASE("copies that read: streams are reused where the reads would need more than the queues", "[system][blink]") {
  const auto time = [](const std::string& reuse, const std::string& queues) {
    const std::vector<std::string> all{"blink.chunk=500kB", "blink.stream_reuse=" + reuse, "blink.streams.queues=" + queues};
    return run_one(without_data(spec_of("allreduce", first_gpus(8), {bytes(16'000'000)}, all))).row.time;
  };
  CHECK(time("auto", "32") == time("true", "32"));
  CHECK(2 * time("auto", "32") < time("false", "32"));
  CHECK(time("auto", "128") == time("false", "128"));
}

TEST_CASE("copies that read: what they do not support is refused", "[system][blink]") {
  RunSpec spec = spec_of("broadcast", {0, 3}, {1_KiB}, {});
  spec.trace.block = BlockQuery{0, 3, true};
  CHECK_THROWS_WITH(run_one(without_data(spec)), Catch::Contains("legal: blink.copies=write"));
}

}  // namespace tributary::test_reading_copies_system
