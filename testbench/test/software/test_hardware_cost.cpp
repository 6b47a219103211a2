#include <catch2/catch.hpp>

#include "platforms/nvswitch/machine.h"
#include "testbench/family/nvswitch/hardware_cost.h"

namespace tributary::test_hardware_cost {

using Catch::Matchers::Contains;

namespace {

constexpr Bandwidth port = 25_GBps, gpu_rate = 150_GBps;

NvSwitchPlatformParams params_with(Bytes table) {
  NvSwitchPlatformParams params;
  params.switches.reduction_table.bytes = table;
  return params;
}

}  // namespace

TEST_CASE("hardware cost: Eq. 1 gives the table size of a port for pull", "[pure][cost]") {
  CHECK(pull_table_bytes(port, 16, 2, 150_ns, 180_ns) == Approx(1300));
  CHECK(pull_table_bytes(port, 16, 2, 150_ns, 270_ns) == Approx(1450));
  CHECK(pull_table_bytes(port, 16, 2, 170_ns, 180_ns) == Approx(1433.3).margin(0.05));
  CHECK(pull_table_bytes(port, 16, 2, 170_ns, picoseconds(172'800)) == Approx(1421.3).margin(0.05));
  CHECK(pull_table_bytes(port, 16, 2, picoseconds(172'800), picoseconds(172'800)) == Approx(1440));
  CHECK(pull_table_bytes(port, 128, 3, 170_ns, 180_ns) == Approx(236.2).margin(0.05));
  CHECK(pull_table_bytes(port, 64, 3, 170_ns, 180_ns) == Approx(476.2).margin(0.05));
  CHECK_THROWS_AS(pull_table_bytes(port, 1, 2, 170_ns, 180_ns), std::invalid_argument);
}

TEST_CASE("hardware cost: Eq. 2 gives the table size of a fabric for push", "[pure][cost]") {
  CHECK(push_tables_bytes(gpu_rate, 2, 150_ns) == Approx(45'000));
  CHECK(push_tables_bytes(gpu_rate, 2, 150_ns) / 192 == Approx(234.4).margin(0.05));
  CHECK(push_tables_bytes(gpu_rate, 2, 170_ns) == Approx(51'000));
  CHECK(push_tables_bytes(gpu_rate, 2, 170_ns) / 192 == Approx(265.6).margin(0.05));
  CHECK(push_tables_bytes(gpu_rate, 2, picoseconds(172'800)) / 192 == Approx(270));
  CHECK(push_tables_bytes(gpu_rate, 3, 170_ns) / 2304 == Approx(33.2).margin(0.05));
}

TEST_CASE("hardware cost: 18 ports of 1 KiB need 0.05 mm2, less than 0.1 percent of the die", "[pure][cost]") {
  CHECK(sram_area_mm2(18 * 1024) == Approx(0.05));
  CHECK(sram_area_mm2(18 * 1024) / nvswitch_die_mm2 == Approx(0.000472).margin(1e-6));
}

TEST_CASE("hardware cost: a machine's tables are counted from its netlist", "[pure][cost]") {
  const HardwareCost dgx2 = hardware_cost(machine("dgx2").graph, params_with(256_B), 16);
  CHECK(dgx2.ports == 192);
  CHECK(dgx2.switches == 12);
  CHECK(dgx2.d_max == 2);
  CHECK(dgx2.switch_bytes == 16 * 256);
  CHECK(dgx2.fabric_bytes == 49'152);
  CHECK(dgx2.hop_ns == Approx(170));
  CHECK(dgx2.gpu_ns == Approx(172.8));
  CHECK(dgx2.push_needs == Approx(265.6).margin(0.05));
  CHECK(dgx2.pull_needs == Approx(1421.3).margin(0.05));
  CHECK(dgx2.area_mm2 == Approx(0.05 * 4096 / 18432));

  const HardwareCost tree = hardware_cost(machine("fat_tree:128").graph, params_with(256_B), 128);
  CHECK(tree.ports == 2304);
  CHECK(tree.switches == 144);
  CHECK(tree.d_max == 3);
  CHECK(tree.fabric_bytes == 589'824);
  CHECK(tree.push_needs == Approx(33.2).margin(0.05));
}

TEST_CASE("hardware cost: trunk ports may have tables of another size", "[pure][cost]") {
  NvSwitchPlatformParams params = params_with(1_KiB);
  params.switches.reduction_table.trunk_bytes = 0_B;
  const HardwareCost cost = hardware_cost(machine("dgx2").graph, params, 16);
  CHECK(cost.switch_bytes == 8 * 1024);
  CHECK(cost.fabric_bytes == 96 * 1024);
}

TEST_CASE("hardware cost: the table on the screen is compared with the need of its algorithm", "[pure][cost]") {
  const HardwareCost cost = hardware_cost(machine("dgx2").graph, params_with(256_B), 16);
  CHECK_THAT(cost_text(cost, Reduces::at_home_ports), Contains("49152 B in 192 ports of 12 switches") &&
                                                          Contains("256 B are 0.96 x the 265.6 B of Eq. (2)") &&
                                                          !Contains("Eq. (1)"));
  CHECK_THAT(cost_text(cost, Reduces::in_flight),
             Contains("256 B are 0.18 x the 1421.3 B of Eq. (1)") && !Contains("Eq. (2)"));
}

}  // namespace tributary::test_hardware_cost
