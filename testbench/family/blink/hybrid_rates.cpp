#include "testbench/family/blink/hybrid_rates.h"

#include <algorithm>

namespace tributary {
namespace {

Bandwidth bandwidth(double GBps) { return Bandwidth{static_cast<std::uint64_t>(std::max(GBps * 1e9, 1.0))}; }
double rate(std::uint64_t bytes, Tick time) { return static_cast<double>(bytes) * 1e3 / static_cast<double>(time); }

}  // namespace

collective::HybridSplit HybridRates::split() const {
  if (step_ == Step::nvlink_alone) return {message_.value, 0, 0, 0};
  if (step_ == Step::pcie_alone) return {0, message_.value, 0, 0};
  return collective::hybrid_split(message_, bandwidth(nvlink_), bandwidth(pcie_), peer_switch_);
}

void HybridRates::measured(Tick nvlink_end, Tick pcie_end) {
  const collective::HybridSplit done = split();
  if (done.nvlink_bytes > 0 && nvlink_end > 0) nvlink_ = rate(done.nvlink_bytes, nvlink_end);
  const Tick switched = done.nvlink_bytes > 0 ? peer_switch_.value : 0;  // PCIe alone needs no switch of peer access
  if (done.pcie_bytes > 0 && pcie_end > switched) pcie_ = rate(done.pcie_bytes, pcie_end - switched);
  step_ = step_ == Step::nvlink_alone ? Step::pcie_alone : Step::both;
}

}  // namespace tributary
