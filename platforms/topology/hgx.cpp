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

}  // namespace

Server a100() { return hgx("a100", 80, {2, 2, 2, 2, 2, 2}, 4, {16, 16}, 25'000'000'000); }
Server h100() { return hgx("h100", 90, {5, 5, 4, 4}, 8, {32, 16}, 50'000'000'000); }

}  // namespace tributary::topology
