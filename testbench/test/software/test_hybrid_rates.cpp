/// Rates of a hybrid, measured on a machine that is a formula.
#include <catch2/catch.hpp>

#include <algorithm>

#include "testbench/family/blink/hybrid_rates.h"

namespace tributary::test_hybrid_rates {
namespace {

constexpr std::uint64_t MB = 1'000'000;

/// Picoseconds of each range: rates in GB/s, and the constant time that pipelines lose at their ends.
struct Machine {
  double nvlink = 88, pcie = 7;
  double nvlink_ends = 60e6, pcie_ends = 500e6, peer_switch = 1'800e6;

  Tick nvlink_time(std::uint64_t bytes) const { return Tick(nvlink_ends + static_cast<double>(bytes) * 1e3 / nvlink); }
  Tick pcie_time(std::uint64_t bytes, bool alone) const {
    return Tick(pcie_ends + (alone ? 0 : peer_switch) + static_cast<double>(bytes) * 1e3 / pcie);
  }
};

collective::HybridSplit next(HybridRates& rates, const Machine& machine) {
  const collective::HybridSplit split = rates.split();
  rates.measured(split.nvlink_bytes > 0 ? machine.nvlink_time(split.nvlink_bytes) : 0,
                 split.pcie_bytes > 0 ? machine.pcie_time(split.pcie_bytes, split.nvlink_bytes == 0) : 0);
  return split;
}

}  // namespace

TEST_CASE("hybrid rates: each route is measured alone first, then both end within 2 % of each other", "[pure]") {
  const Machine machine;
  HybridRates rates(bytes(500 * MB), 1800_us);
  CHECK(next(rates, machine).pcie_bytes == 0);
  CHECK(rates.nvlink() == Approx(500 / (60e-3 + 500 / 88.0)));
  CHECK(next(rates, machine).nvlink_bytes == 0);
  CHECK(rates.pcie() == Approx(500 / (0.5 + 500 / 7.0)));
  for (int iteration = 2; iteration < 8; ++iteration) {
    const collective::HybridSplit split = next(rates, machine);
    CHECK(split.nvlink_bytes + split.pcie_bytes == 500 * MB);
    CHECK(split.pcie_bytes > 10 * MB);
    const auto nvlink = static_cast<double>(machine.nvlink_time(split.nvlink_bytes));
    const auto pcie = static_cast<double>(machine.pcie_time(split.pcie_bytes, false));
    INFO("iteration " << iteration << ": " << nvlink / 1e9 << " and " << pcie / 1e9 << " ms");
    if (iteration > 2) CHECK(std::abs(nvlink - pcie) <= 0.02 * std::max(nvlink, pcie));
  }
}

TEST_CASE("hybrid rates: a message that ends before the switch does uses NVLinks only", "[pure]") {
  const Machine machine;
  HybridRates small(bytes(20 * MB), 1800_us);  // 0.3 ms on NVLinks, less than the switch
  CHECK(next(small, machine).pcie_bytes == 0);
  CHECK(next(small, machine).nvlink_bytes == 0);
  for (int i = 0; i < 3; ++i) CHECK(next(small, machine).pcie_bytes == 0);
}

}  // namespace tributary::test_hybrid_rates
