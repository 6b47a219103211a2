/// Background traffic with collectives: its load, its bytes, and its effects.
#include <catch2/catch.hpp>
#include <cmath>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_background {
namespace {

RunSpec loaded(const std::string& algorithm, Bytes size, double load, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, first_gpus(16), {size}, settings);
  spec.background_load = load;
  return spec;
}

void check_right(const Run& run) {
  INFO(run.row.report);
  CHECK(run.row.status == Status::done);
  CHECK(run.row.wrong == 0u);
  const auto& c = run.row.counters;
  if (c.count("background.sent") == 0) return;
  CHECK(c.at("background.sent") > 0);
  CHECK(c.at("background.delivered") == c.at("background.sent"));
  CHECK(c.at("background.acks") == c.at("background.sent"));
}

/// Bytes on the links that leave GPUs, or that lead to them.
double bytes_at_gpus(const ResultRow& row, bool leaving, const std::string& gpu = "gpu") {
  double sum = 0;
  for (const LinkUse& link : row.links) {
    const auto arrow = link.name.find('>');
    const std::string end = leaving ? link.name.substr(0, arrow) : link.name.substr(arrow + 1);
    if (end.rfind(gpu, 0) == 0) sum += static_cast<double>(link.bytes);
  }
  return sum;
}

}  // namespace

TEST_CASE("background: links carry the requested load, and each GPU receives its share", "[system][background]") {
  // Two ranks add 4 B after 40 us; until then the machine carries background traffic only.
  RunSpec spec = run_spec("push", {0, 1}, {4_B});
  spec.jobs[0].start = 40_us;
  spec.background_load = 0.2;
  const Run run = run_one(spec);
  check_right(run);
  const auto lasts = static_cast<double>(spec.jobs[0].start.value + run.row.time + 1'000'000);  // it stops a doorbell later
  const double slots = 16 * lasts / 960, sent = run.row.counters.at("background.sent");
  CHECK(run.row.counters.at("background.skipped") == 0);
  CHECK(std::abs(sent - 0.2 * slots) < 5 * std::sqrt(0.2 * 0.8 * slots));
  const double bytes = sent * (144 + 16);  // each is acknowledged
  CHECK(bytes_at_gpus(run.row, true) >= bytes);
  CHECK(bytes_at_gpus(run.row, true) <= bytes + 2 * (144 + 16) + 300);  // bytes of the two ranks
  for (int g = 0; g < 16; ++g)
    CHECK(bytes_at_gpus(run.row, false, "gpu" + std::to_string(g) + ".") == Approx(bytes / 16).epsilon(0.1));
  CHECK(run.row.counters.at("background_latency_ns.p50") >= 190);  // a switch and two links
  CHECK(run.row.counters.at("background_latency_ns.max") >= run.row.counters.at("background_latency_ns.p99"));
}

TEST_CASE("background: an all-reduce with background traffic is right and slower", "[system][background]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    const Run alone = run_one(loaded(algorithm, 256_KiB, 0)), light = run_one(loaded(algorithm, 256_KiB, 0.1)),
              heavy = run_one(loaded(algorithm, 256_KiB, 0.5));
    for (const Run* run : {&alone, &light, &heavy}) check_right(*run);
    CHECK(light.row.time > alone.row.time);
    CHECK(heavy.row.time > light.row.time);
    CHECK(heavy.row.counters.at("packet_latency_ns.mean") > 0);
    CHECK(alone.row.counters.count("background.sent") == 0);
  }
}

TEST_CASE("background: every byte is accounted for", "[system][background]") {
  // With tables that never evict, a push moves the same packets with background traffic and without.
  const std::vector<std::string> ample{"nvswitch.switch.reduction_table.bytes=16KiB",
                                       "nvswitch.switch.reduction_table.timeout=1ms"};
  const Run alone = run_one(loaded("push", 128_KiB, 0, ample)), run = run_one(loaded("push", 128_KiB, 0.3, ample));
  check_right(run);
  REQUIRE(run.row.counters.at("switch.evictions") == 0);
  const double more = run.row.counters.at("background.sent") * (144 + 16);
  for (const bool leaving : {true, false})
    CHECK(bytes_at_gpus(run.row, leaving) == bytes_at_gpus(alone.row, leaving) + more);
  CHECK(run.row.counters.at("gpu.memory_writes") == alone.row.counters.at("gpu.memory_writes"));  // touches no memory
  std::uint64_t packets = 0;
  for (const auto& bucket : run.row.latency_histograms.at("background")) packets += bucket.second;
  CHECK(static_cast<double>(packets) == run.row.counters.at("background.delivered"));
  CHECK(run.row.latency_histograms.at("collective").size() > 1);
}

TEST_CASE("background: both modes agree, also with small queues at full load", "[system][background]") {
  const std::vector<std::string> tight{"nvswitch.switch.input_buffer=144B",  "nvswitch.switch.output_queue=144B",
                                       "nvswitch.switch.table_queue=144B",   "nvswitch.switch.replication_buffer.bytes=144B",
                                       "nvswitch.switch.crossbar.speedup=1", "nvswitch.gpu.dma.tx_queue=1"};
  for (const char* algorithm : {"push", "pull", "ring"})
    for (const bool small : {false, true}) {
      INFO(algorithm << (small ? ", tiny queues" : ""));
      const RunSpec spec = loaded(algorithm, 16_KiB, small ? 1 : 0.3, small ? tight : std::vector<std::string>{});
      const Run windowed = run_one(with_hashes(spec)), event = run_one(with_hashes(spec, SimulationMode::event));
      CHECK(difference(windowed, event) == "");
      check_right(windowed);
      if (small) CHECK(windowed.row.counters.at("background.skipped") > 0);
    }
}

TEST_CASE("background: a message takes the same time alone and after another one", "[system][background]") {
  RunSpec spec = with_hashes(loaded("push", 16_KiB, 0.4));
  const Run alone = run_one(spec);
  spec.jobs[0].items.insert(spec.jobs[0].items.begin(), {"", 64_KiB});
  CHECK(difference(alone, run_all(spec)[1]) == "");
}

TEST_CASE("background: it works without acks and with two jobs", "[system][background]") {
  const Run silent = run_one(loaded("push", 32_KiB, 0.3, {"nvswitch.acks=none"}));
  CHECK(silent.row.wrong == 0u);
  CHECK(silent.row.counters.at("background.delivered") == silent.row.counters.at("background.sent"));
  CHECK(silent.row.counters.at("background.acks") == 0);
  RunSpec spec = loaded("push", 32_KiB, 0.3, {"nvswitch.acks=merged"});
  spec.jobs[0].ranks = {0, 1, 2, 3};
  spec.jobs.push_back(spec.jobs[0]);
  spec.jobs[1].items = {{"", 32_KiB}};
  spec.jobs[1].ranks = {8, 4, 6};
  spec.jobs[1].algorithm = "pull";
  for (const Run& run : run_all(spec)) check_right(run);
}

TEST_CASE("background: it does not hide that a collective is stuck", "[system][background]") {
  RunSpec spec = loaded("push", 2_KiB, 0.05, {"watchdog.window=10us"});
  spec.jobs[0].withheld_rank = 3;
  CHECK(run_one(spec).row.status == Status::no_progress);
}

}  // namespace tributary::test_background
