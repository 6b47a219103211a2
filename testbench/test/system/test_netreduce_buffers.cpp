/// Accelerators with finite buffers and lookups, end to end (docs/systems/netreduce.md#finite-buffers).
#include <catch2/catch.hpp>

#include "testbench/test/harness/congested_runs.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_buffers {
namespace {

const std::vector<std::string> paused{"netreduce.switch.buffer=1MiB", "netreduce.switch.pfc.on=true"};

/// The same run without and with these settings takes the same time.
void check_equal_times(const RunSpec& plain, const RunSpec& limited) {
  CHECK(run_one(without_data(plain)).row.time == run_one(without_data(limited)).row.time);
}

}  // namespace

TEST_CASE("buffers: large ones change no time, and count their fill", "[system][netreduce]") {
  const std::vector<std::string> large{"netreduce.accelerator.input_fifo=1GiB", "netreduce.accelerator.output_queue=1GiB"};
  for (const char* platform : {"rack:4", "spine_leaf:2x2"}) {
    check_equal_times(messages_of(platform, 170, 6), messages_of(platform, 170, 6, {}, large));
    const ResultRow row = run_with_both(messages_of(platform, 170, 6, {}, large));
    CHECK(row.wrong == 0u);
    CHECK(count_of(row, "accelerator.input_fifo.drops") == 0);
    CHECK(count_of(row, "accelerator.output_queue.max_bytes") >= 1106);
    CHECK(count_of(row, "accelerator.input_fifo.max_bytes") >= 1086);
  }
}

TEST_CASE("buffers: sums of a paused accelerator wait in their slots", "[system][netreduce][congestion]") {
  for (const Incast& incast : incasts()) {
    INFO(incast.machine);
    const ResultRow endless =
        run_with_both(incast_spec(incast, 2_MiB, with(paused, {"netreduce.accelerator.output_queue=1GiB"})));
    const ResultRow row = run_with_both(incast_spec(
        incast, 2_MiB, with(paused, {"netreduce.accelerator.output_queue=8KiB", "netreduce.accelerator.input_fifo=32KiB"})));
    for (const ResultRow* r : {&endless, &row}) {
      check_healed(incast, 2_MiB, *r);
      CHECK(roce_drops(*r) == 0);
    }
    CHECK(count_of(endless, "accelerator.output_queue.max_bytes") > 100'000);
    CHECK(count_of(row, "accelerator.output_queue.max_bytes") <= 8192);
    CHECK(count_of(row, "accelerator.input_fifo.max_bytes") <= 32'768);
    CHECK(count_of(row, "accelerator.input_fifo.drops") == 0);
  }
}

TEST_CASE("buffers: small ones heal losses of every kind", "[system][netreduce]") {
  const std::vector<std::string> small{"netreduce.accelerator.input_fifo=4KiB", "netreduce.accelerator.output_queue=4KiB",
                                       "netreduce.accelerator.lookups=1", "netreduce.link.loss_rate=0.003",
                                       "netreduce.nic.retry_count=0"};
  for (const char* platform : {"rack:3", "spine_leaf:2x2"})
    for (const char* value : {"stored", "recomputed"}) {
      const ResultRow row = run_with_both(
          short_messages(platform, 30, {}, with(small, {std::string("netreduce.accelerator.value=") + value})));
      INFO(platform << " " << row.report);
      CHECK(row.status == Status::done);
      CHECK(row.wrong == 0u);
      CHECK(count_of(row, "nic.retries") > 0);
      CHECK(count_of(row, "accelerator.output_queue.max_bytes") <= 4096);
    }
}

// 17 cycles of 8 ns are 136 ns, and packets arrive every 88.48 ns; the combinator needs as long.
TEST_CASE("buffers: an accelerator with a slow data path pauses its switch, and loses packets without pauses",
          "[system][netreduce]") {
  const std::vector<std::string> slow{"netreduce.accelerator.clock=8ns", "netreduce.accelerator.input_fifo=32KiB"};
  const ResultRow pausing = run_with_both(messages_of("rack:4", 170, 12, {}, with(slow, {"netreduce.switch.pfc.on=true"})));
  CHECK(pausing.wrong == 0u);
  CHECK(count_of(pausing, "accelerator.input_fifo.pauses") > 0);
  CHECK(count_of(pausing, "accelerator.input_fifo.drops") == 0);
  CHECK(count_of(pausing, "nic.retries") == 0);
  const ResultRow losing = run_with_both(messages_of("rack:4", 170, 12, {}, slow));
  CHECK(losing.wrong == 0u);
  CHECK(count_of(losing, "accelerator.input_fifo.drops") > 0);
  CHECK(count_of(losing, "nic.retries") > 0);
  CHECK(losing.time > pausing.time);
}

// 32 ports with packets of 256 B ask for 3.5 lookups in a cycle; 4 KiB of a queue are more than all ports need.
TEST_CASE("buffers: lookups bound a rack of many ports", "[system][netreduce]") {
  const auto time = [](const std::vector<std::string>& settings) {
    RunSpec spec = run_spec("netreduce", first_gpus(32), {512_KiB}, with({"netreduce.nic.mtu=256B"}, settings));
    spec.platform = "rack:32";
    return static_cast<double>(run_one(without_data(spec)).row.time);
  };
  const double messages = 13;  // each of 170 x 256 - 16 B
  const double lookups = messages * 170 * 32 * 3103;
  const double one = time({"netreduce.accelerator.lookups=1"});
  CHECK(one > lookups);
  CHECK(one == Approx(lookups).epsilon(0.1));
  CHECK(time({"netreduce.accelerator.lookups=4"}) == Approx(time({})).epsilon(0.01));
}

}  // namespace tributary::test_netreduce_buffers
