/// Statements of the paper's figures about the algorithms (docs/systems/klenk.md#figures), at moderate sizes.
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_algorithms {
namespace {

/// Returns the GB/s of a complete run; checks that its bound holds.
double algbw(const RunSpec& spec) {
  const ResultRow row = run_one(spec).row;
  INFO(spec.jobs[0].algorithm << ", " << spec.jobs[0].ranks.size() << " ranks, " << row.size_bytes << " B");
  REQUIRE(row.status == Status::done);
  CHECK(row.algbw_GBps() <= row.bound_GBps);
  return row.algbw_GBps();
}

double timed(const std::string& algorithm, int gpus, Bytes size, const std::vector<std::string>& settings = {}) {
  return algbw(without_data(run_spec(algorithm, first_gpus(gpus), {size}, settings)));
}

}  // namespace

TEST_CASE("algorithms: push is faster than pull, and pull than ring", "[system][methods]") {
  const double push = timed("push", 16, 2_MiB), pull = timed("pull", 16, 2_MiB), ring = timed("ring", 16, 2_MiB);
  CHECK(push > pull);
  CHECK(pull > ring);
  // Their bounds (docs/systems/klenk.md#bounds).
  CHECK(push <= 120.0);
  CHECK(pull <= 110.35);
  CHECK(ring <= 64.0);
  // Push and pull exceed the bound of any ring.
  CHECK(pull > 64.0);
}

TEST_CASE("algorithms: the gain of push over ring is largest at the smallest size and falls", "[system][methods]") {
  double before = 25;
  for (const Bytes size : {2_KiB, 16_KiB, 128_KiB, 1_MiB}) {
    const double ratio = timed("push", 16, size) / timed("ring", 16, size);
    INFO(size.value << " B: " << ratio);
    CHECK(ratio < before);
    if (size == 2_KiB) CHECK(ratio > 12);
    CHECK(ratio > 1.75);  // 2(p-1)/p = 1.875 for infinitely long messages
    before = ratio;
  }
}

TEST_CASE("algorithms: a fence slows small ring steps", "[system][methods]") {
  CHECK(timed("ring", 16, 2_KiB, {"nvswitch.ring.sync=fence"}) < timed("ring", 16, 2_KiB, {"nvswitch.ring.sync=counted"}));
}

TEST_CASE("algorithms: the barrier costs pull much at 8 KiB and little at large sizes", "[system][methods]") {
  const auto ratio = [](Bytes size) {
    return timed("pull", 16, size) / timed("pull", 16, size, {"nvswitch.pull.barrier=false"});
  };
  CHECK(ratio(8_KiB) < 0.85);
  // The bound says 19 us for 2 MiB; the barrier, a pull of one block, less than 1.5 us (9 links, 6 switches, 2 reads).
  CHECK(ratio(2_MiB) > 19.0 / (19.0 + 1.5));
}

TEST_CASE("algorithms: two GPUs gain nothing", "[system][methods]") {
  const double push = timed("push", 2, 4_MiB), ring = timed("ring", 2, 4_MiB);
  CHECK(ring == Approx(push).epsilon(0.03));
}

TEST_CASE("algorithms: without acks push exceeds the bound that acks set", "[system][methods]") {
  const double none = timed("push", 16, 4_MiB, {"nvswitch.acks=none", "nvswitch.switch.reduction_table.bytes=512B"});
  CHECK(none > 120.0);
  CHECK(none <= 133.34);
}

TEST_CASE("algorithms: push hardly depends on the number of GPUs, and a ring does at small sizes", "[system][methods]") {
  const double few = timed("push", 4, 1_MiB), many = timed("push", 16, 1_MiB);
  CHECK(many > 0.9 * few);
  CHECK(few > 0.9 * many);
  // 6 steps against 30
  CHECK(timed("ring", 4, 2_KiB) > 3 * timed("ring", 16, 2_KiB));
}

TEST_CASE("algorithms: no bound is exceeded by any set of GPUs", "[system][methods]") {
  for (const char* algorithm : {"push", "pull", "ring", "multicast"})
    for (const int gpus : {2, 3, 5, 8, 9, 16})
      for (const Run& run : run_all(without_data(run_spec(algorithm, first_gpus(gpus), {128_B, 8_KiB, 256_KiB})))) {
        INFO(algorithm << ", " << gpus << " ranks, " << run.row.size_bytes << " B");
        CHECK(run.row.algbw_GBps() > 0);
        CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
      }
}

TEST_CASE("algorithms: every sum stays right where push gets slower", "[system][methods]") {
  const double standard = algbw(run_spec("push", first_gpus(16), {1_MiB}));
  const std::vector<std::vector<std::string>> worse{
      {"nvswitch.switch.reduction_table.bytes=128B"},
      {"nvswitch.fabric.hash=random"},
      {"nvswitch.gpu.dma.waves=0", "nvswitch.gpu.dma.issue_order=shuffled:4096"}};
  for (const std::vector<std::string>& settings : worse) {
    INFO(settings.front());
    const ResultRow row = run_one(run_spec("push", first_gpus(16), {1_MiB}, settings)).row;
    CHECK(row.status == Status::done);
    CHECK(row.wrong == 0);
    CHECK(row.algbw_GBps() < 0.8 * standard);
    CHECK(row.counters.at("switch.evictions") > 0);
    CHECK(row.counters.at("gpu.partials") > 0);
    CHECK(row.counters.at("switch.stalls") == 0);  // a push table never stalls
  }
}

TEST_CASE("algorithms: waves keep the tables from overflowing", "[system][methods]") {
  // 128 kB outstanding on 48 kB of tables: less than 1 % of the blocks are evicted.
  const ResultRow row = run_one(without_data(run_spec("push", first_gpus(16), {1_MiB}))).row;
  CHECK(row.counters.at("switch.evictions") < 0.01 * 8192);
  // Four waves cannot fill a round trip that sixteen waves fill (knee between 8 and 32).
  const double sixteen = row.algbw_GBps();
  CHECK(timed("push", 16, 1_MiB, {"nvswitch.gpu.dma.waves=4"}) < 0.6 * sixteen);
  CHECK(timed("push", 16, 1_MiB, {"nvswitch.gpu.dma.waves=1"}) <
        0.6 * timed("push", 16, 1_MiB, {"nvswitch.gpu.dma.waves=4"}));
}

TEST_CASE("algorithms: pull stalls where push evicts", "[system][methods]") {
  const ResultRow row = run_one(run_spec("pull", first_gpus(16), {256_KiB},
                                         {"nvswitch.switch.reduction_table.bytes=256B", "nvswitch.gpu.dma.waves=0"}))
                            .row;
  CHECK(row.wrong == 0);
  CHECK(row.counters.at("switch.stalls") > 0);
  CHECK(row.counters.at("switch.evictions") == 0);
  CHECK(row.counters.at("gpu.partials") == 0);
}

}  // namespace tributary::test_algorithms
