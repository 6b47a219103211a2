/// Prices against the published values at 45 and 7 nm, and their interpolation at 16 nm (docs/energy.md).
#include <catch2/catch.hpp>
#include <cmath>

#include "modules/base/parameter_set.h"
#include "testbench/run/energy/area.h"
#include "testbench/run/energy/prices.h"

namespace tributary::test_prices {
namespace {

EnergyPrices prices_at(double node) {
  PriceParams params;
  params.technology.node = node;
  return EnergyPrices(params);
}

constexpr std::uint64_t KiB = 1024;

}  // namespace

TEST_CASE("prices: sums at 45, 16 and 7 nm", "[pure][energy]") {
  const auto add = [](double node, ElementType type) { return prices_at(node).add(type, ReduceOp::sum); };
  CHECK(add(45, ElementType::f32) == Approx(0.9).epsilon(1e-12));
  CHECK(add(7, ElementType::f32) == Approx(0.38).epsilon(1e-12));
  CHECK(add(16, ElementType::f32) == Approx(0.557).margin(0.0005));
  CHECK(add(45, ElementType::f16) == Approx(0.4).epsilon(1e-12));
  CHECK(add(7, ElementType::f16) == Approx(0.16).epsilon(1e-12));
  CHECK(add(16, ElementType::f16) == Approx(0.240).margin(0.0005));
  CHECK(add(7, ElementType::bf16) == Approx(0.11).epsilon(1e-12));
  CHECK(add(16, ElementType::bf16) == Approx(0.165).margin(0.0005));
  CHECK(add(45, ElementType::i32) == Approx(0.1).epsilon(1e-12));
  CHECK(add(7, ElementType::i32) == Approx(0.03).epsilon(1e-12));
  CHECK(add(16, ElementType::i32) == Approx(0.051).margin(0.0005));
}

TEST_CASE("prices: accesses to SRAM at 45, 16 and 7 nm", "[pure][energy]") {
  const auto sram = [](double node, std::uint64_t bytes) { return prices_at(node).sram_byte(bytes); };
  CHECK(sram(45, 8 * KiB) == Approx(1.25).epsilon(1e-12));
  CHECK(sram(7, 256) == Approx(0.94).epsilon(1e-12));
  CHECK(sram(16, 8 * KiB) == Approx(1.067).margin(0.0005));
  CHECK(sram(45, 32 * KiB) == Approx(2.5).epsilon(1e-12));
  CHECK(sram(7, 32 * KiB) == Approx(1.06).epsilon(1e-12));
  CHECK(sram(16, 32 * KiB) == Approx(1.552).margin(0.0005));
  CHECK(sram(45, 1024 * KiB) == Approx(12.5).epsilon(1e-12));
  CHECK(sram(7, 4096 * KiB) == Approx(1.75).epsilon(1e-12));
  CHECK(sram(16, 1024 * KiB) == Approx(4.19).margin(0.005));
}

TEST_CASE("prices: sizes between lie between in the logarithm, and more bytes never cost less", "[pure][energy]") {
  const EnergyPrices prices = prices_at(16);
  const double middle = prices.sram_byte(16 * KiB);
  CHECK(middle == Approx((prices.sram_byte(8 * KiB) + prices.sram_byte(32 * KiB)) / 2).epsilon(1e-12));
  double before = 0;
  for (std::uint64_t bytes = 128; bytes <= 4096 * KiB; bytes += bytes / 3 + 1) {
    CHECK(prices.sram_byte(bytes) >= before);
    before = prices.sram_byte(bytes);
  }
}

TEST_CASE("prices: minima cost an integer sum, 8 bytes two sums, an FPGA 14 times its logic", "[pure][energy]") {
  const EnergyPrices prices = prices_at(16);
  const double integer = prices.add(ElementType::i32, ReduceOp::sum);
  CHECK(prices.add(ElementType::f32, ReduceOp::max) == integer);
  CHECK(prices.add(ElementType::i8, ReduceOp::sum) == integer);
  CHECK(prices.add(ElementType::f64, ReduceOp::sum) == 2 * prices.add(ElementType::f32, ReduceOp::sum));
  PriceParams params;
  params.technology.node = params.technology.fpga_node;
  CHECK(prices.add(ElementType::f32, ReduceOp::sum, true) ==
        Approx(14 * EnergyPrices(params).add(ElementType::f32, ReduceOp::sum)).epsilon(1e-12));
  CHECK(prices.sram_byte(4608, true) == Approx(2 * EnergyPrices(params).sram_byte(4608)).epsilon(1e-12));
}

TEST_CASE("prices: a node of 5 nm is refused, and 7 and 45 nm are legal", "[pure][energy]") {
  PriceParams params;
  const ParameterSet set(params);
  CHECK_THROWS_AS(set.set("technology.node", "5"), ParameterError);
  CHECK_THROWS_AS(set.set("technology.node", "46"), ParameterError);
  set.set("technology.node", "7");
  set.set("technology.node", "45");
  CHECK(params.technology.node == 45);
}

TEST_CASE("prices: a price that the user sets has no range", "[pure][energy]") {
  PriceParams params;
  CHECK(EnergyPrices(params, EnergyPrices::End::low).at("energy.link.nvlink") == 1.2);
  CHECK(EnergyPrices(params, EnergyPrices::End::high).at("energy.nvswitch.standing") == 70);
  params.energy.link.nvlink = 3;
  CHECK(EnergyPrices(params, EnergyPrices::End::low).at("energy.link.nvlink") == 3);
  CHECK(EnergyPrices(params, EnergyPrices::End::high).at("energy.link.nvlink") == 3);
  for (const PriceRange& range : price_ranges()) {
    INFO(range.parameter);
    const double stated = EnergyPrices(PriceParams{}).at(range.parameter);
    CHECK((range.low <= stated && stated <= range.high));
  }
}

TEST_CASE("prices: names", "[pure][energy]") {
  CHECK(is_price("energy.memory.bit"));
  CHECK(is_price("technology.node"));
  CHECK(!is_price("nvswitch.link.rate"));
  CHECK(!is_price("energy"));
}

TEST_CASE("area: a switch of 16 ports has nine times as much area in adders as in tables", "[pure][energy]") {
  const AreaPrices area{PriceParams{}};
  CHECK(area.sram(4096) == Approx(0.0111).margin(0.00005));
  CHECK(area.lanes(25_GBps) == 8);
  CHECK(16 * area.lanes(25_GBps) * area.adder(ElementType::f32, ReduceOp::sum) == Approx(0.102).margin(0.0005));
  CHECK(area.crossbar(16) == Approx(0.43).margin(0.001));
  CHECK(16 * area.serdes(25_GBps) == Approx(44.8).margin(0.001));
  CHECK(area.cam(16 * 2 * 48) + area.sram(4096 / 16 * 2) == Approx(0.004).margin(0.0005));
}

TEST_CASE("area: other nodes follow the table of Stillmaker and Baas", "[pure][energy]") {
  CHECK(area_at_node(16) == Approx(1).epsilon(1e-12));
  CHECK(area_at_node(45) == Approx(1 / 0.19).epsilon(1e-12));
  CHECK(area_at_node(7) == Approx(0.059 / 0.19).epsilon(1e-12));
  double before = 0;
  for (double node = 7; node <= 45; node += 0.5) {
    CHECK(area_at_node(node) > before);
    before = area_at_node(node);
  }
  PriceParams params;
  params.technology.node = 7;
  CHECK(AreaPrices(params).serdes(25_GBps) == AreaPrices(PriceParams{}).serdes(25_GBps));
}

}  // namespace tributary::test_prices
