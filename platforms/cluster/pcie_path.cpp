#include "platforms/cluster/pcie_path.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tributary {

PcieLink pcie_path(const ClusterParams& params, const ClusterServer& server, unsigned mtu) {
  const ClusterPcieParams& p = params.pcie;
  PcieLink link;
  link.rate = bytes_per_second(static_cast<std::uint64_t>(std::llround(p.efficiency * server.pcie_rate)));
  link.latency = p.latency + p.latency + p.switch_latency;
  link.framing = {static_cast<unsigned>(p.payload.value), static_cast<unsigned>(p.overhead.value)};
  link.burst = std::max(mtu, static_cast<unsigned>(p.read.value));
  if (link.latency.value < least_pcie_path)
    throw std::invalid_argument("cluster.pcie: 2 x latency + switch_latency is " + to_string(link.latency) +
                                " (legal: at least 100ns)");
  return link;
}

NicFetch::Config nic_fetch(const ClusterParams& params, unsigned mtu) {
  return {mtu, static_cast<unsigned>(params.pcie.read.value), static_cast<unsigned>(params.pcie.window.value)};
}

}  // namespace tributary
