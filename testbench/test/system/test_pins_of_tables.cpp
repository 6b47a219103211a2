// Reduction tables as modules with pins: equal to the model's own to the picosecond, in both modes
// (docs/rtl.md#pins-in-the-time-of-a-call).
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/pinned_block.h"
#include "testbench/test/harness/pinned_table.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_pins_of_tables {

using Catch::Matchers::Contains;

namespace {

const std::string table = "nvswitch.switch.reduction_table.";
const char* const everywhere = "*";
const char* const one_port = "*.switch0_2.port5";

/// Tables of that many entries with pins at these ports.
RunSpec with_tables(const RunSpec& spec, unsigned entries, const char* places, Tick timeout = 2'000'000,
                    TableFault fault = TableFault::none) {
  return with_block(spec, "reduction_table", maker<PinnedTable>(entries, timeout, fault),
                    "ENTRIES=" + std::to_string(entries), places);
}

/// A run on a DGX-2 whose tables have that many entries, and adders of one register.
RunSpec reduction(const char* algorithm, Bytes size, unsigned entries, std::vector<std::string> settings = {}) {
  settings.push_back(table + "add_cycles=1");
  settings.push_back(table + "bytes=" + std::to_string(128 * entries) + "B");
  return run_spec(algorithm, first_gpus(16), {size}, settings);
}

}  // namespace

TEST_CASE("pins of a reduction table: one port of a DGX-2", "[system][pins]") {
  for (const char* algorithm : {"push", "pull"}) {
    INFO(algorithm);
    const RunSpec spec = reduction(algorithm, 64_KiB, 32);
    check_block(with_tables(spec, 32, one_port), spec);
    check_block(with_tables(without_data(spec), 32, one_port), without_data(spec));
  }
}

TEST_CASE("pins of reduction tables: evictions and timeouts at all ports", "[system][pins]") {
  const RunSpec push = reduction("push", 64_KiB, 2, {table + "timeout=100ns"});
  const ResultRow row = check_block(with_tables(push, 2, everywhere, 100'000), push);
  CHECK(row.counters.at("switch.timeouts") > 50);
  const RunSpec single = reduction("push", 32_KiB, 1, {table + "timeout=300ns"});
  CHECK(check_block(with_tables(single, 1, everywhere, 300'000), single).counters.at("switch.evictions") > 100);
}

TEST_CASE("pins of reduction tables: pulls that are refused or miss at all ports", "[system][pins]") {
  const RunSpec pull = reduction("pull", 64_KiB, 2);
  const ResultRow row = check_block(with_tables(pull, 2, everywhere), pull);
  CHECK(row.counters.at("switch.stalls") > 100);
  CHECK(row.counters.at("switch.misses") > 1000);
}

TEST_CASE("pins of a reduction table: its switch alone is in kernel time", "[system][pins]") {
  const std::string devices = in_child([] {
    Session session(with_tables(reduction("push", 4_KiB, 32), 32, one_port));
    session.run(0);
    std::string names;
    for (const DeviceInKernelTime& d : session.in_kernel_time()) names += d.device + " (" + d.parts.front() + ") ";
    return names;
  });
  CHECK(devices == "switch0_2 (port5.table) ");
}

TEST_CASE("pins of a reduction table: wrong answers are named", "[system][pins]") {
  const RunSpec spec = reduction("push", 16_KiB, 32);
  const auto wrong = [&](TableFault fault) {
    return report_of_wrong_block(with_tables(spec, 32, one_port, 2'000'000, fault));
  };
  CHECK_THAT(wrong(TableFault::number),
             Contains("dgx2.switch0_2.port5.table breaks the rule `answer`: sends data of command"));
  CHECK_THAT(wrong(TableFault::silent), Contains("port5.table breaks the rule `patience`: no answer to push of block"));
  CHECK_THAT(wrong(TableFault::stuck), Contains("port5.table breaks the rule `patience`: not ready for push of block"));
  CHECK(run_one(with_tables(spec, 32, one_port, 2'000'000, TableFault::leaves_out)).row.status == Status::wrong);
}

TEST_CASE("pins of a reduction table: what cannot be built is refused", "[system][pins]") {
  const RunSpec spec = reduction("push", 4_KiB, 32);
  CHECK_THAT(refusal(with_block(spec, "reduction_table", maker<PinnedTable>(), "", one_port, 2)),
             Contains("port5.table: clocks until an answer are counted (legal: no LATENCY)"));
  CHECK_THAT(refusal(with_tables(reduction("push", 4_KiB, 32, {table + "order=rank"}), 32, one_port)),
             Contains("a table in RTL adds in the order of arrival"));
  BlockFactories blocks;
  CHECK_THROWS_WITH(add_pin_block(blocks, "clt", {{}, rtl_block({}, "", "", "", one_port)}),
                    Contains("a plug-in replaces every clt (legal with PLACES: arbiter, reduction_table)"));
}

}  // namespace tributary::test_pins_of_tables
