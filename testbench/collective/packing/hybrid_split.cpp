#include "testbench/collective/packing/hybrid_split.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "modules/base/host/wide.h"

namespace tributary::collective {
namespace {

constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;

double seconds(std::uint64_t bytes, Bandwidth rate) { return static_cast<double>(bytes) / static_cast<double>(rate.value); }

std::int64_t units_of(const std::vector<WeightedTree>& trees) {
  std::int64_t all = 0;
  for (const WeightedTree& t : trees) all += t.units;
  return all;
}

/// Scales the weights so that their sum is `whole` units.
std::vector<WeightedTree> weighed(std::vector<WeightedTree> trees, std::int64_t whole, int first_group) {
  const std::int64_t each = whole / units_of(trees);
  for (WeightedTree& t : trees) t.units *= each, t.group += first_group;
  return trees;
}

}  // namespace

HybridSplit hybrid_split(Bytes message, Bandwidth nvlink, Bandwidth pcie, Time peer_switch) {
  if (nvlink.value == 0 || pcie.value == 0) throw std::invalid_argument("a hybrid needs a rate on NVLinks and on PCIe");
  HybridSplit split;
  const Wide both = Wide{message.value} * picoseconds_per_second, lost = Wide{peer_switch.value} * nvlink.value;
  if (both > lost)
    split.pcie_bytes =
        static_cast<std::uint64_t>((both - lost) * pcie.value / (Wide{pcie.value} + nvlink.value) / picoseconds_per_second) /
        block_bytes * block_bytes;
  split.nvlink_bytes = message.value - split.pcie_bytes;
  split.nvlink_seconds = seconds(split.nvlink_bytes, nvlink);
  if (split.pcie_bytes > 0)
    split.pcie_seconds = static_cast<double>(peer_switch.value) / static_cast<double>(picoseconds_per_second) +
                         seconds(split.pcie_bytes, pcie);
  return split;
}

HybridTrees hybrid_trees(const HybridSplit& split, const std::vector<WeightedTree>& nvlink,
                         const std::vector<WeightedTree>& pcie) {
  if (split.pcie_bytes == 0) return {nvlink, {}};
  int groups = 0;
  for (const WeightedTree& t : nvlink) groups = std::max(groups, t.group + 1);
  const auto on_pcie = static_cast<std::int64_t>(blocks_of(split.pcie_bytes));
  const auto on_nvlink = static_cast<std::int64_t>(blocks_of(split.nvlink_bytes));
  if (on_nvlink == 0) return {{}, pcie};
  const std::int64_t common = std::gcd(on_pcie, on_nvlink), units = std::lcm(units_of(nvlink), units_of(pcie));
  return {weighed(nvlink, on_nvlink / common * units, 0), weighed(pcie, on_pcie / common * units, groups)};
}

}  // namespace tributary::collective
