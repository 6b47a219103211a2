#include "platforms/topology/files/link_rates.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "platforms/topology/files/topology_text.h"

namespace tributary::topology {
namespace {

constexpr std::uint64_t giga = 1'000'000'000;

/// Ranges of compute capabilities, as in ncclTopoNVLinkBw of NCCL's src/graph/topo.h. Wires: data sheets of NVIDIA.
struct NvLinkRow {
  int least, most;
  std::uint64_t wires, nccl;
};
constexpr NvLinkRow nvlinks[] = {{60, 69, 20 * giga, 18 * giga},      {70, 79, 25 * giga, 20 * giga},
                                 {86, 86, 14'062'500'000, 12 * giga}, {80, 89, 25 * giga, 20 * giga},
                                 {90, 99, 25 * giga, 20'600'000'000}, {100, 999, 50 * giga, 40'100'000'000}};

/// Architectures by the begin of their names. Wires: data sheets of AMD; the others are those of RCCL's src/graph/topo.h.
struct XgmiRow {
  const char* gcn;
  std::uint64_t wires, nccl;
};
constexpr XgmiRow xgmis[] = {{"906", 23 * giga, 24 * giga}, {"908", 23 * giga, 24 * giga},
                             {"910", 50 * giga, 36 * giga}, {"90a", 50 * giga, 36 * giga},
                             {"94", 64 * giga, 48 * giga},  {"950", 76'800'000'000, 48 * giga}};

template <class Row>
std::uint64_t rate_of(const Row& row, RatesOf rates) {
  return rates == RatesOf::nccl ? row.nccl : row.wires;
}

std::uint64_t intel_rate(int family, int model) {
  if (family != 6) return 10 * giga;
  if (model >= 0xCF || (model >= 0xAD && model <= 0xAF)) return 40 * giga;
  return model >= 0x8F ? 22 * giga : model >= 0x55 ? 10 * giga : 6 * giga;
}

/// Families 23, 25 and 26. NCCL's field of base and extended family shows them as 143, 175 and 191.
std::uint64_t amd_rate(int family) {
  if (family == 143 || family == 23) return 16 * giga;
  if (family == 175 || family == 25) return 24 * giga;
  return family == 191 || family == 26 ? 32 * giga : 16 * giga;
}

}  // namespace

std::uint64_t nvlink_rate_of(int capability, RatesOf rates) {
  for (const NvLinkRow& row : nvlinks)
    if (row.least <= capability && capability <= row.most) return rate_of(row, rates);
  return 0;
}

// Links of a P100, a V100 and an A100 are those of their white papers; bridges of an A40 or RTX 3090 have four.
int nvlinks_of(int capability) {
  if (capability >= 60 && capability < 70) return 4;
  if (capability >= 70 && capability < 80) return 6;
  if (capability == 80) return 12;
  return capability > 80 && capability < 90 ? 4 : most_nvlinks;
}

std::uint64_t xgmi_rate_of(const std::string& gcn, RatesOf rates) {
  const std::string name = gcn.rfind("gfx", 0) == 0 ? gcn.substr(3) : gcn;
  for (const XgmiRow& row : xgmis)
    if (name.rfind(row.gcn, 0) == 0) return rate_of(row, rates);
  return 0;
}

std::uint64_t nccl_pcie_rate(const PcieLink& link) {
  constexpr double speeds[] = {2.5, 5, 8, 16, 32, 64};
  const auto* const found = std::find(std::begin(speeds), std::end(speeds), link.speed);
  const std::uint64_t value = found == std::end(speeds) ? 60 : std::uint64_t{15} << (found - std::begin(speeds));
  return static_cast<std::uint64_t>(link.width > 0 ? link.width : 16) * value * giga / 80;
}

std::uint64_t nccl_processor_rate(const std::string& arch, const std::string& vendor, int family, int model) {
  if (arch == "ppc64") return 32 * giga;
  if (arch == "arm64" || arch == "aarch64") return 6 * giga;
  return vendor == "AuthenticAMD" ? amd_rate(family) : intel_rate(family, model);
}

}  // namespace tributary::topology
