#include "platforms/topology/hgx.h"

#include "platforms/topology/files/link_rates.h"

namespace tributary::topology {
namespace {

constexpr int hgx_gpus = 8, hgx_sockets = 2;

/// Returns a server whose GPUs and NICs are evenly divided among PCIe switches, and these among sockets.
Server hgx(const char* name, int sm, const std::vector<int>& to_switches, int pcie_switches, PcieLink pcie,
           std::uint64_t nic) {
  Server s;
  s.name = name, s.sm = sm, s.nvlink_rate = nvlink_rate_of(sm);
  s.links.assign(hgx_gpus, std::vector<int>(hgx_gpus, 0));
  s.switch_links.assign(hgx_gpus, to_switches);
  s.pcie.assign(hgx_sockets, PcieNode{});
  for (int i = 0; i < pcie_switches; ++i) s.pcie.push_back({i * hgx_sockets / pcie_switches, -1, pcie, 0});
  for (int i = 0; i < hgx_gpus; ++i) s.gpu_on.push_back(hgx_sockets + i * pcie_switches / hgx_gpus);
  s.nic_on = s.gpu_on;
  s.gpu_up.assign(hgx_gpus, pcie), s.nic_up.assign(hgx_gpus, pcie);
  s.nic_rate.assign(hgx_gpus, nic);
  return s;
}

/// Returns the processors of so many GPUs with their NICs, two of each at a processor.
Server grace(const char* name, int gpus) {
  constexpr int of_processor = 2;
  constexpr std::uint64_t chip_to_chip = 450'000'000'000, nic = 50'000'000'000;
  Server s;
  s.name = name, s.sm = 100, s.nvlink_rate = nvlink_rate_of(s.sm);
  const auto count = static_cast<std::size_t>(gpus);
  s.links.assign(count, std::vector<int>(count, 0));
  s.pcie.assign(count / of_processor, PcieNode{});
  for (int g = 0; g < gpus; ++g) s.gpu_on.push_back(g / of_processor);
  s.nic_on = s.gpu_on;
  PcieLink to_gpu;
  to_gpu.rate = chip_to_chip;
  s.gpu_up.assign(count, to_gpu), s.nic_up.assign(count, {32, 16});
  s.nic_rate.assign(count, nic);
  return s;
}

}  // namespace

Server a100() { return hgx("a100", 80, {2, 2, 2, 2, 2, 2}, 4, {16, 16}, 25'000'000'000); }
Server h100() { return hgx("h100", 90, {5, 5, 4, 4}, 8, {32, 16}, 50'000'000'000); }
Server h200() {
  Server s = h100();
  s.name = "h200", s.gpu_kind = "H200";
  return s;
}
Server b200() { return hgx("b200", 100, {9, 9}, 8, {32, 16}, 50'000'000'000); }

Server gb200() {
  constexpr int links = 6;
  Server s = grace("gb200", 4);
  for (std::size_t a = 0; a < s.links.size(); ++a)
    for (std::size_t b = 0; b < s.links.size(); ++b) s.links[a][b] = a == b ? 0 : links;
  return s;
}

Server nvl72() {
  constexpr int gpus = 72, switches = 18;
  Server s = grace("nvl72", gpus);
  s.switch_links.assign(gpus, std::vector<int>(switches, 1));
  return s;
}

}  // namespace tributary::topology
