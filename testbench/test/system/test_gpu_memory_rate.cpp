/// The bandwidth of a GPU's memory on servers of GPUs with copy engines: right data, both modes agree, rates by arithmetic.
#include <catch2/catch.hpp>

#include "testbench/run/errors.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_gpu_memory_rate {
namespace {

constexpr Bytes MB(std::uint64_t n) { return bytes(n * 1'000'000); }

RunSpec spec_of(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus,
                const std::vector<Bytes>& sizes, std::vector<std::string> settings) {
  for (const char* free : {"blink.streams.acquire=0ns", "blink.streams.release=0ns", "blink.copy.launch=0ns",
                           "blink.kernel.launch=0ns", "blink.chunk=100kB"})
    settings.push_back(free);
  RunSpec spec = collective_spec(collective, algorithm, gpus, sizes, settings);
  spec.platform = "dgx1v";
  return spec;
}

Run run_of(const std::string& collective, const std::vector<int>& gpus, const std::string& rate) {
  return run_one(without_data(spec_of(collective, "blink", gpus, {MB(20)}, {"blink.memory.rate=" + rate})));
}

}  // namespace

TEST_CASE("memory of GPUs: with a limited rate every algorithm is right in both modes", "[system][blink]") {
  for (const char* algorithm : {"blink", "nccl"})
    for (const char* collective : {"allreduce", "broadcast", "allgather"})
      for (const char* rate : {"20GB/s", "150GB/s"})
        for (const Run& run : check_modes(spec_of(collective, algorithm, {0, 3, 4, 7}, {1000_B, 300_KiB},
                                                  {std::string("blink.memory.rate=") + rate})))
          CHECK(run.row.counters.at("memory.busy_ns") > 0);
}

TEST_CASE("memory of GPUs: a copy has the rate of its links or of the slower memory", "[system][blink]") {
  const double links = 2 * 25.0 * 256 / 272;  // GPUs 0 and 3 have two
  CHECK(run_of("broadcast", {0, 3}, "300GB/s").row.algbw_GBps() == Approx(links).epsilon(0.01));
  const Run slow = run_of("broadcast", {0, 3}, "30GB/s");
  CHECK(slow.row.algbw_GBps() == Approx(30.0).epsilon(0.01));
  CHECK(slow.row.counters.at("memory.read_bytes") == 20e6);
  CHECK(slow.row.counters.at("memory.written_bytes") == 20e6);
  CHECK(slow.row.counters.at("memory.operand_bytes") == 0);
  CHECK(slow.row.counters.at("memory.busy_ns") == Approx(2 * 20e6 / 30).epsilon(0.001));
}

TEST_CASE("memory of GPUs: a sum loads the memory four times", "[system][blink]") {
  const Run run = run_of("reduce", {0, 3}, "80GB/s");  // an arrival and three accesses of a kernel for each byte
  CHECK(run.row.algbw_GBps() <= 20.0);
  CHECK(run.row.algbw_GBps() > 0.95 * 20.0);
  CHECK(run.row.counters.at("memory.operand_bytes") == 3 * 20e6);
}

TEST_CASE("memory of GPUs: without a limit there are no counters, and rates too low to simulate are refused",
          "[system][blink]") {
  CHECK(run_of("broadcast", {0, 3}, "0GB/s").row.counters.count("memory.busy_ns") == 0);
  CHECK_THROWS_WITH(run_of("broadcast", {0, 3}, "1kB/s"), Catch::Contains("legal: 0GB/s, which is no limit, or at least"));
}

}  // namespace tributary::test_gpu_memory_rate
