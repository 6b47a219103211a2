/// Schedules of MSCCL files on servers of GPUs with copy engines: right data, both modes agree, times by arithmetic.
#include <catch2/catch.hpp>

#include "testbench/family/blink/parameters.h"
#include "testbench/run/errors.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_blink_schedules {

using Catch::Matchers::Contains;

namespace {

/// The ring of four by hand, on any four GPUs.
RunSpec ring_of(const std::string& platform, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec("allreduce", "msccl:" TRIBUTARY_SOURCE_DIR "/testbench/workload/data/msccl/ring4.xml", gpus,
                                 sizes, settings);
  spec.platform = platform;
  return spec;
}

}  // namespace

TEST_CASE("blink: a schedule of a file runs on any GPUs in both modes", "[system][blink]") {
  struct Place {
    const char* platform;
    std::vector<int> gpus;
    const char* counter;  // number of its copies
  };
  for (const Place& place :
       {Place{"dgx1v", {0, 1, 2, 3}, "copied.nvlink_bytes"}, Place{"dgx1p", {7, 2, 6, 5}, "copied.nvlink_bytes"},
        Place{"dgx1v", {1, 4, 3, 6}, "copied.pcie_bytes"}, Place{"servers:2xdgx1v", {8, 0, 1, 9}, "copied.network_bytes"}})
    for (const char* stream : {"shared", "own"}) {
      INFO(place.platform << " " << place.counter << " kernels " << stream);
      const std::string kernels = std::string("blink.kernel.stream=") + stream;
      for (const Run& run :
           check_modes(ring_of(place.platform, place.gpus, {4_B, 1000_B, 100_KiB}, {"blink.chunk=8KiB", kernels})))
        CHECK((run.row.size_bytes < 1000 || run.row.counters.at(place.counter) > 0));
    }
}

// Six messages in sequence over each link of 20 GB/s, three sums at 210 GB/s: a quarter of the message each, in packets
// of 272 B for 256.
TEST_CASE("blink: a ring of a file takes the time of its messages and sums", "[system][blink]") {
  const std::vector<std::string> alone{"blink.streams.acquire=0ns", "blink.streams.release=0ns", "blink.copy.launch=0ns",
                                       "blink.kernel.launch=0ns", "blink.chunk=1GB"};
  const Run run = run_one(without_data(ring_of("dgx1p", {0, 1, 3, 2}, {bytes(64'000'000)}, alone)));
  const double part = 16e6, us = 1e6 * (6 * part * 272 / 256 / 20e9 + 3 * part / 210e9);
  CHECK(static_cast<double>(run.row.time) * 1e-6 == Approx(us).epsilon(0.001));
}

// A kernel in a stream of its own adds a chunk while the copy engine sends the previous one.
TEST_CASE("blink: a schedule in loops overlaps its sums with its messages", "[system][blink]") {
  const auto time = [](const std::string& chunk) {
    return run_one(without_data(ring_of("dgx1p", {0, 1, 3, 2}, {bytes(64'000'000)}, {chunk, "blink.kernel.stream=own"})))
        .row.time;
  };
  CHECK(time("blink.chunk=2MB") < time("blink.chunk=1GB"));
}

TEST_CASE("blink: unsupported schedules of files are refused", "[system][blink]") {
  RunSpec followed = ring_of("dgx1v", {0, 1, 2, 3}, {1000_B});
  followed.trace.block = BlockQuery{};
  CHECK_THROWS_WITH(run_one(followed), Contains("--trace-block follows a chunk of trees"));
  CHECK_THROWS_WITH(run_one(ring_of("dgx1v", {0, 1, 2, 3}, {16_MiB}, {"blink.chunk=128B"})),
                    Contains("cut 16MiB into 131072 (legal: at most 10000"));
}

}  // namespace tributary::test_blink_schedules
