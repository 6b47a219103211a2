/// Limits of copy engines and costs of their commands: rates and times by arithmetic, right data, both modes agree.
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_copy_engine_limits {
namespace {

RunSpec spec_of(const std::string& collective, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings) {
  std::vector<std::string> all{"blink.streams.acquire=0ns", "blink.streams.release=0ns", "blink.copy.launch=0ns",
                               "blink.kernel.launch=0ns", "blink.chunk=20MB"};
  all.insert(all.end(), settings.begin(), settings.end());
  RunSpec spec = collective_spec(collective, "blink", gpus, sizes, all);
  spec.platform = "dgx1v";
  return spec;
}

/// Returns the rate of a broadcast over the two links of GPUs 0 and 3.
double rate_of(const std::vector<std::string>& settings) {
  return run_one(without_data(spec_of("broadcast", {0, 3}, {bytes(20'000'000)}, settings))).row.algbw_GBps();
}

}  // namespace

TEST_CASE("limits of copy engines: a copy has the rate of its links or of the slower engine", "[system][blink]") {
  const double links = 2 * 25.0 * 256 / 272;
  CHECK(rate_of({}) == Approx(links).epsilon(0.01));
  CHECK(rate_of({"blink.copy.rate=200GB/s"}) == Approx(links).epsilon(0.01));
  CHECK(rate_of({"blink.copy.rate=20GB/s"}) == Approx(20.0).epsilon(0.01));
}

TEST_CASE("limits of copy engines: a window passes once in each latency of the memory", "[system][blink]") {
  CHECK(rate_of({"blink.memory.latency=2us"}) > 45);  // requested ahead
  CHECK(rate_of({"blink.memory.latency=2us", "blink.copy.window=30720B"}) == Approx(15.36).epsilon(0.03));
  CHECK(rate_of({"blink.memory.latency=2us", "blink.copy.window=61440B"}) == Approx(30.72).epsilon(0.03));
  CHECK(rate_of({"blink.memory.latency=2us", "blink.copy.window=1MiB"}) > 45);
}

TEST_CASE("limits of copy engines: data are right in both modes", "[system][blink]") {
  for (const char* collective : {"allreduce", "allgather"})
    check_modes(spec_of(
        collective, {7, 2, 6, 5, 1}, {4_B, 1000_B, 300_KiB},
        {"blink.copy.rate=18GB/s", "blink.copy.window=8KiB", "blink.memory.latency=500ns", "blink.memory.rate=200GB/s"}));
}

TEST_CASE("limits of copy engines: with shared engines and own links, data are right in both modes", "[system][blink]") {
  for (const char* collective : {"allreduce", "allgather"})
    for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
             {"blink.copy.physical=2", "blink.copy.completion=300ns"},
             {"blink.copy.links=own", "blink.copy.arbitration=in_turn"},
             {"blink.copy.links=own", "blink.copy.physical=9", "blink.copy.rate=9GB/s", "blink.copies=read"}}) {
      std::vector<std::string> all{"blink.chunk=16KiB", "blink.copy.launch=1us"};
      all.insert(all.end(), settings.begin(), settings.end());
      check_modes(spec_of(collective, {7, 2, 6, 5, 1}, {4_B, 1000_B, 300_KiB}, all));
    }
}

TEST_CASE("limits of copy engines: physical engines bound copies and add up their rates", "[system][blink]") {
  CHECK(rate_of({"blink.copy.engines=2", "blink.copy.rate=10GB/s"}) == Approx(10.0).epsilon(0.01));
  CHECK(rate_of({"blink.copy.engines=2", "blink.copy.rate=10GB/s", "blink.copy.physical=6"}) == Approx(30.0).epsilon(0.01));
}

TEST_CASE("limits of copy engines: copies share physical engines, and own links keep an engine for them",
          "[system][blink]") {
  const auto us = [](const std::vector<int>& gpus, const std::string& tree, const std::vector<std::string>& settings) {
    std::vector<std::string> all{"blink.trees=" + tree};
    all.insert(all.end(), settings.begin(), settings.end());
    RunSpec spec = without_data(spec_of("broadcast", gpus, {bytes(20'000'000)}, all));
    spec.jobs.front().root = 0;
    return static_cast<double>(run_one(spec).row.time) * 1e-6;
  };
  const double link = 20'000 / (25.0 * 256 / 272);  // one link to GPUs 1 and 2, two to GPU 3
  const auto star = [&](const std::vector<std::string>& settings) { return us({0, 1, 2, 3}, "0>1 0>2 0>3", settings); };
  CHECK(star({}) == Approx(link).epsilon(0.01));
  CHECK(star({"blink.copy.physical=3"}) == star({}));
  CHECK(star({"blink.copy.physical=2"}) == Approx(1.5 * link).epsilon(0.01));
  CHECK(star({"blink.copy.physical=1"}) == Approx(2.5 * link).epsilon(0.01));
  CHECK(star({"blink.copy.links=own"}) == star({}));
  // The paths to GPUs 1 and 3 begin at ports 0 and 2 of GPU 0.
  const auto pair = [&](const std::vector<std::string>& settings) { return us({0, 1, 3}, "0>1 0>3", settings); };
  CHECK(pair({"blink.copy.engines=2"}) == Approx(link).epsilon(0.01));
  CHECK(pair({"blink.copy.engines=2", "blink.copy.links=own"}) == Approx(1.5 * link).epsilon(0.01));
  CHECK(pair({"blink.copy.engines=3", "blink.copy.links=own"}) == Approx(link).epsilon(0.01));
}

TEST_CASE("limits of copy engines: engines of GPUs at NVSwitches have them, too", "[system][blink]") {
  const auto run = [](const std::vector<std::string>& settings) {
    RunSpec spec = collective_spec("broadcast", "blink", {0, 1}, {bytes(20'000'000)}, settings);
    spec.platform = "dgx2";
    return run_one(without_data(spec)).row.algbw_GBps();
  };
  const double free = run({"nvswitch.blink.chunk=20MB"});
  CHECK(free > 60);
  const double slow = run({"nvswitch.blink.chunk=20MB", "nvswitch.copy.rate=20GB/s"});
  CHECK(slow < 20);
  CHECK(slow > 19);
}

TEST_CASE("costs of commands: a fetch and a completion extend each copy of a chain", "[system][blink]") {
  const auto time = [](const std::vector<std::string>& settings) {
    RunSpec spec = spec_of("broadcast", {0, 3}, {bytes(1'000'000)}, settings);
    return run_one(without_data(spec)).row.time;
  };
  const Tick bare = time({});
  CHECK(time({"blink.copy.fetch=700ns"}) == bare + 700'000);
  CHECK(time({"blink.copy.completion=300ns"}) == bare + 300'000);
  CHECK(time({"blink.streams.doorbell=1200ns"}) == bare + 1'200'000);  // the record is announced during the copy
}

TEST_CASE("costs of commands: data are right in both modes", "[system][blink]") {
  for (const char* collective : {"allreduce", "allgather"})
    check_modes(spec_of(collective, {7, 2, 6, 5, 1}, {4_B, 1000_B, 300_KiB},
                        {"blink.chunk=16KiB", "blink.copy.fetch=700ns", "blink.copy.completion=300ns",
                         "blink.streams.issue=100ns", "blink.streams.doorbell=1us", "blink.streams.batch=8"}));
}

}  // namespace tributary::test_copy_engine_limits
