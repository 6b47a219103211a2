/// A slow run is not stuck: the watchdog's window follows from the parameters of a run.
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_watchdog {

using Catch::Matchers::Contains;

namespace {

RunSpec on(const std::string& platform, RunSpec spec) {
  spec.platform = platform;
  return spec;
}

void check_done(const RunSpec& spec) {
  const ResultRow row = run_one(spec).row;
  INFO(row.report);
  CHECK(row.status == Status::done);
  CHECK(row.wrong.value_or(0) == 0u);
}

/// Checks that the time is at least the arithmetic of the slow part.
void check_slow(const RunSpec& spec, Tick at_least) {
  const ResultRow row = run_one(spec).row;
  INFO(row.report);
  CHECK(row.status == Status::done);
  CHECK(row.time >= at_least);
}

constexpr Tick ms = 1'000'000'000;

}  // namespace

TEST_CASE("watchdog: a slow memory, link or executor of GPUs is no deadlock", "[system][deadlock]") {
  const std::vector<int> all = first_gpus(16);
  // 30 steps of a ring; each reads the data that it sends
  check_slow(run_spec("ring", all, {64_KiB}, {"nvswitch.gpu.memory.latency=1ms"}), 30 * ms);
  check_slow(run_spec("push", all, {4_KiB}, {"nvswitch.link.latency=1ms", "nvswitch.gpu.doorbell_latency=1ms"}), 4 * ms);
  check_done(run_spec("pull", first_gpus(4), {4_KiB}, {"nvswitch.link.rate=1MB/s"}));
  check_done(run_spec("push", first_gpus(2), {512_B},
                      {"nvswitch.link.latency=1ms", "nvswitch.gpu.doorbell_latency=1ms",
                       "nvswitch.link.bit_error_rate=0.001", "nvswitch.link.replay_buffer=144B"}));
  check_slow(run_spec("pull", all, {16_KiB},
                      {"nvswitch.gpu.dma.waves=1", "nvswitch.pull.barrier_kind=flags", "nvswitch.gpu.dma.retry_delay=20ms"}),
             20 * ms);
}

TEST_CASE("watchdog: entries that wait long for their eviction are no deadlock", "[system][deadlock]") {
  // One entry at each port: an operand that finds it occupied waits until the timeout frees it.
  check_done(run_spec("push", first_gpus(16), {64_KiB},
                      {"nvswitch.switch.reduction_table.bytes=128B", "nvswitch.switch.reduction_table.timeout=2ms"}));
}

TEST_CASE("watchdog: slow memories, links and clocks of NICs are no deadlock", "[system][deadlock]") {
  const std::vector<int> all = first_gpus(16);
  const auto ring = [&](const std::vector<std::string>& settings) {
    return on("torus:4x4", run_spec("ring", all, {64_KiB}, settings));
  };
  check_slow(ring({"schedule_nic.nic.memory.latency=1ms"}), 30 * ms);
  check_slow(ring({"schedule_nic.link.latency=1ms"}), 30 * ms);
  check_slow(ring({"schedule_nic.nic.memory.rate=1MB/s"}), 30 * 4096 * (ms / 1000));  // 4 KiB in each step
  check_slow(ring({"schedule_nic.link.rate=1MB/s"}), 30 * 4096 * (ms / 1000));
  // 1024 elements in one unit of width 1: 1024 passes of 1 ms, in each of 15 steps
  check_slow(ring({"schedule_nic.nic.clock=1us", "schedule_nic.nic.reduction.cycles=1000",
                   "schedule_nic.nic.reduction.units=1", "schedule_nic.nic.reduction.width=1"}),
             15 * 1024 * ms);
  check_slow(on("fat_tree_2level:64", run_spec("ring", first_gpus(64), {632_KiB}, {"schedule_nic.nic.memory.latency=1ms"})),
             126 * ms);
}

TEST_CASE("watchdog: an explicit window holds, however slow the run is", "[system][deadlock]") {
  const ResultRow row =
      run_one(run_spec("ring", first_gpus(4), {4_KiB}, {"nvswitch.gpu.memory.latency=1ms", "watchdog.window=100us"})).row;
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("nothing has moved for 100us"));
}

TEST_CASE("watchdog: background traffic does not keep a stuck collective alive", "[system][deadlock]") {
  RunSpec spec = run_spec("push", first_gpus(16), {2_KiB});
  spec.jobs[0].withheld_rank = 3;
  spec.background_load = 0.01;
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("nothing has moved for 1ms"));
}

// Rank 3 is missing. Operands that wait in tables leave at their timeout; that is the last progress.
TEST_CASE("watchdog: with background traffic a window follows the last timeout", "[system][deadlock]") {
  RunSpec spec = run_spec("push", first_gpus(16), {2_KiB}, {"nvswitch.switch.reduction_table.timeout=3ms"});
  spec.jobs[0].withheld_rank = 3;
  spec.background_load = 0.001;
  spec.time_limit = 5_ms;  // 3 ms, then 1 ms and a little
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("nothing has moved for 1ms"));
  CHECK(row.counters.at("switch.timeouts") > 0);
}

TEST_CASE("watchdog: a timeout with nothing pending does not extend the run", "[system][deadlock]") {
  RunSpec spec = run_spec("ring", first_gpus(16), {2_KiB}, {"nvswitch.switch.reduction_table.timeout=1s"});
  spec.jobs[0].withheld_rank = 3;
  spec.background_load = 0.001;
  spec.time_limit = 2_ms;
  CHECK(run_one(spec).row.status == Status::no_progress);
}

TEST_CASE("watchdog: the automatic window is 1 ms, or twice the longest silence of the platform", "[system][deadlock]") {
  const auto window = [](const std::vector<std::string>& settings) {
    return in_child([&] {
      return to_string(*Session(run_spec("push", first_gpus(16), {1_KiB}, settings)).parameters().watchdog.window);
    });
  };
  CHECK(window({}) == "1ms");
  // Two paths over 3 links and 2 switches of 1 ms and more, and the waits at their ends: twice 6 ms and a little.
  const Time slow = parse_time(window({"nvswitch.link.latency=1ms", "nvswitch.gpu.doorbell_latency=1ms"}));
  CHECK(slow > 12_ms);
  CHECK(slow < 30_ms);
}

}  // namespace tributary::test_watchdog
