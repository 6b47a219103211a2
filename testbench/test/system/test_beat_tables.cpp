// Tables of beats at the ports of a machine, and the guarantees of the ports to every table.
#include <catch2/catch.hpp>

#include "modules/nvswitch/beat_table_port.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/observe/trajectory_hash.h"
#include "testbench/test/harness/monitored_table.h"
#include "testbench/test/harness/own_table.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_beat_tables {

using Catch::Matchers::Contains;

namespace {

/// A DGX-2 that hashes every packet on every link.
struct Hashed : SmallSystem {
  Hashed(const std::string& name, const RunSpec& s, const ReductionTableFactory& make_table)
      : SmallSystem(name, machine("dgx2"), s, make_table) {
    for (const DirectedLink& link : system.links()) hash.add(link.transmitter->sent);
  }
  /// The time of the message, and the hash of its packets.
  std::pair<Tick, std::uint64_t> measure(Bytes message) {
    hash.reset(kernel_now() + params.gpu.doorbell_latency.value);
    run(message, 1, 1);
    return {completion.last() - t0, hash.trajectory()};
  }
  TrajectoryHash hash;
};

RunSpec spec_of(const std::string& algorithm, const std::string& table_bytes) {
  return run_spec(algorithm, first_gpus(16), {}, {"nvswitch.switch.reduction_table.bytes=" + table_bytes});
}

void check_same(const std::string& algorithm, const std::string& table_bytes, Bytes message) {
  const RunSpec spec = spec_of(algorithm, table_bytes);
  Hashed ours("dgx2", spec, make_reduction_table), beats("beats", spec, behind_beats(make_reference_beat_table));
  const auto [time, hash] = ours.measure(message);
  CHECK(beats.measure(message) == std::pair(time, hash));
  CHECK(time > 1'000'000);
}

/// The maximum time that the engine runs ahead of the kernel (Windows::of).
Tick ahead_of(const SmallSystem& s) {
  return Windows::of(s.params.link.latency.value, s.params.switches.latency.value, s.params.gpu.doorbell_latency.value, {})
      .ahead;
}

void check_port(const RunSpec& spec, Bytes message) {
  std::vector<MonitoredTable*> monitors;
  SmallSystem s("dgx2", machine("dgx2"), spec, monitored(make_reduction_table, monitors));
  s.run(message, 1, 1);
  CHECK(all_breaches(monitors).empty());
  Tick most_ahead = 0, most_behind = 0;
  std::uint64_t calls = 0;
  for (const MonitoredTable* m : monitors) {
    most_ahead = std::max(most_ahead, m->most_ahead());
    most_behind = std::max(most_behind, m->most_behind());
    calls += m->calls();
  }
  CHECK(calls > 1000);
  CHECK(most_ahead <= ahead_of(s));
  CHECK(most_behind <= s.params.switches.latency.value);
}

}  // namespace

TEST_CASE("tables of beats: a push of 16 GPUs has the same packets at the same picoseconds", "[system][beats]") {
  check_same("push", "4KiB", 256_KiB);
}

TEST_CASE("tables of beats: tables of two entries that evict give the same packets and times", "[system][beats]") {
  check_same("push", "256B", 64_KiB);
}

TEST_CASE("tables of beats: pulls with some refusals give the same packets and times", "[system][beats]") {
  check_same("pull", "256B", 64_KiB);
}

TEST_CASE("tables of beats: one port may have a table of beats and the others ours", "[system][beats]") {
  const RunSpec spec = spec_of("push", "256B");
  unsigned made = 0;
  const auto one_port = [&](const ReductionTableConfig& config) -> std::unique_ptr<BeatTable> {
    if (config.port != "beats.switch1_4.port9") return nullptr;
    ++made;
    return make_reference_beat_table(config);
  };
  Hashed ours("dgx2", spec, make_reduction_table), beats("beats", spec, behind_beats(one_port));
  CHECK(made == 1);
  CHECK(ours.measure(32_KiB) == beats.measure(32_KiB));
}

TEST_CASE("table monitor: a port keeps its guarantees for push", "[system][table_monitor]") {
  check_port(spec_of("push", "256B"), 64_KiB);
}

TEST_CASE("table monitor: a port keeps its guarantees for pull", "[system][table_monitor]") {
  check_port(spec_of("pull", "256B"), 64_KiB);
}

TEST_CASE("table monitor: a port keeps its guarantees under back-pressure", "[system][table_monitor]") {
  RunSpec spec =
      run_spec("push", first_gpus(16), {},
               {"nvswitch.switch.input_buffer=288B", "nvswitch.switch.output_queue=288B", "nvswitch.switch.table_queue=144B",
                "nvswitch.switch.replication_buffer.bytes=144B", "nvswitch.switch.reduction_table.timeout=300ns"});
  check_port(spec, 32_KiB);
}

TEST_CASE("table monitor: it names the block of an operand that a table loses", "[system][table_monitor]") {
  std::vector<MonitoredTable*> monitors;
  const auto leaks_once = [](const char* name, const ReductionTableConfig& config) {
    const bool here = config.port == "dgx2.switch0_2.port5";
    return std::make_unique<OwnTable>(name, config, OwnTableFaults{here ? 3 : ~0u, false, 0});
  };
  SmallSystem s("dgx2", machine("dgx2"), spec_of("push", "256B"), monitored(leaks_once, monitors));
  CHECK_THROWS(s.run(16_KiB, 1, 1));
  const std::string text = all_breaches(monitors);
  CHECK_THAT(text, Contains("dgx2.switch0_2.port5.table breaks the rule `complete`") &&
                       Contains("block 62 has all 16 operands, and the answer is `merged`"));
  CHECK_THAT(text, Contains("rule `conserve`") && Contains("block 62 leaves with 15 operands, and 16 have entered"));
  CHECK_THAT(text, Contains("rule `end`") && Contains("holds 1 operand: block 62 from gpu"));
}

}  // namespace tributary::test_beat_tables
