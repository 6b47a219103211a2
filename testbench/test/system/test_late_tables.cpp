// Tables with latency, and tables that are occupied longer: docs/blocks/reduction_table.md#timing.
#include <catch2/catch.hpp>

#include "platforms/nvswitch/machine.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/test/harness/late_table.h"
#include "testbench/test/harness/monitored_table.h"
#include "testbench/test/harness/own_table.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_late_tables {

using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> tight{
    "nvswitch.switch.input_buffer=288B",          "nvswitch.switch.output_queue=288B",
    "nvswitch.switch.table_queue=144B",           "nvswitch.switch.replication_buffer.bytes=300B",
    "nvswitch.switch.reduction_table.bytes=256B", "nvswitch.switch.reduction_table.timeout=300ns"};

RunSpec spec_of(const std::string& algorithm, SimulationMode mode, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, first_gpus(16), {}, settings);
  spec.mode = mode;
  return spec;
}

/// A DGX-2 that hashes every packet on every link.
struct Hashed : SmallSystem {
  Hashed(const std::string& name, const RunSpec& s, const ReductionTableFactory& make_table)
      : SmallSystem(name, machine("dgx2"), s, make_table) {
    for (const DirectedLink& link : system.links()) hash.add(link.transmitter->sent);
  }
  Tick time() const { return completion.last() - t0; }
  TrajectoryHash hash;
};

/// Returns GB/s of a push of 1 MiB on 16 GPUs.
double rate_of(Hashed& system) {
  system.run(1_MiB, 1, 1);
  return static_cast<double>((1_MiB).value) * 1e3 / static_cast<double>(system.time());
}

/// Runs a message in both modes, with tables of several latencies; every sum is checked.
void check_both_modes(const std::string& algorithm, Bytes message, const std::vector<std::string>& settings) {
  const Tick clock = 640;
  std::vector<std::unique_ptr<Hashed>> systems;
  for (const Tick latency : {Tick{0}, Tick{1}, clock, Tick{10'000}, Tick{1'000'000}})
    for (const SimulationMode mode : {SimulationMode::windowed, SimulationMode::event})
      systems.push_back(std::make_unique<Hashed>("dgx2_" + std::to_string(systems.size()),
                                                 spec_of(algorithm, mode, settings), late_tables({latency, 0})));
  for (std::size_t i = 0; i < systems.size(); ++i) {
    Hashed& s = *systems[i];
    s.hash.reset(kernel_now() + s.params.gpu.doorbell_latency.value);
    s.run(message, 1, 1);
    if (i % 2 == 0) continue;
    INFO("latency " << i / 2);
    CHECK(s.time() == systems[i - 1]->time());
    CHECK(s.hash.trajectory() == systems[i - 1]->hash.trajectory());
  }
  CHECK(systems.back()->time() > systems[1]->time() + 100'000);  // sums are 1 us later
}

void check_port(const std::string& algorithm, Bytes message, const std::vector<std::string>& settings) {
  std::vector<MonitoredTable*> monitors;
  SmallSystem s("dgx2", machine("dgx2"), spec_of(algorithm, SimulationMode::windowed, settings),
                monitored(late_tables({150'000, 1'280}), monitors));
  s.run(message, 1, 1);
  CHECK(all_breaches(monitors).empty());
}

}  // namespace

TEST_CASE("late tables: a latency of 10 ns costs a push no bandwidth, an interval of 10 ns does", "[system][late_tables]") {
  const RunSpec spec = spec_of("push", SimulationMode::windowed);
  Hashed ours("ours", spec, make_reduction_table);
  Hashed late("late", spec, late_tables({10'000, 0})), busy("busy", spec, late_tables({0, 10'000}));
  Hashed event("event", spec_of("push", SimulationMode::event), late_tables({10'000, 0}));
  CHECK(rate_of(ours) > 109.9);
  CHECK(rate_of(late) > 110.0);
  CHECK(rate_of(event) == rate_of(late));
  CHECK(rate_of(busy) == Approx(90.6).margin(0.05));
}

TEST_CASE("late tables: both modes agree on pushes", "[system][late_tables]") { check_both_modes("push", 64_KiB, {}); }
TEST_CASE("late tables: both modes agree on pushes with evictions, timeouts and full buffers", "[system][late_tables]") {
  check_both_modes("push", 16_KiB, tight);
}
TEST_CASE("late tables: both modes agree on pulls", "[system][late_tables]") { check_both_modes("pull", 64_KiB, {}); }
TEST_CASE("late tables: both modes agree on pulls with refusals and full buffers", "[system][late_tables]") {
  check_both_modes("pull", 16_KiB, tight);
}
TEST_CASE("late tables: both modes agree on a push whose acks are merged", "[system][late_tables]") {
  check_both_modes("push", 16_KiB, {"nvswitch.acks=merged"});
}

TEST_CASE("late tables: a port keeps its guarantees for push", "[system][late_tables]") {
  check_port("push", 32_KiB, tight);
}
TEST_CASE("late tables: a port keeps its guarantees for pull", "[system][late_tables]") {
  check_port("pull", 32_KiB, tight);
}

TEST_CASE("late tables: an operand that a late table loses is named", "[system][late_tables]") {
  const auto leaks_once = [](const char* name, const ReductionTableConfig& config) {
    const bool here = config.port == "dgx2.switch0_2.port5";
    return std::make_unique<OwnTable>(name, config, OwnTableFaults{here ? 3 : ~0u, false, 100'000});
  };
  SmallSystem s("dgx2", machine("dgx2"), spec_of("push", SimulationMode::windowed), leaks_once);
  CHECK_THROWS_WITH(s.run(16_KiB, 1, 1), Contains("dgx2.switch0_2.port5.table: an operand of block 62 has not come back"));
}

}  // namespace tributary::test_late_tables
