#pragma once
/// The PCIe path between a GPU and its NIC, from the parameters of a cluster.

#include "modules/pcie/pcie_link.h"
#include "platforms/cluster/cluster_server.h"
#include "platforms/cluster/nic_fetch.h"

namespace tributary {

inline constexpr Tick least_pcie_path = 100'000;  ///< at least the lookaheads at both ends

/// Returns the path as one link: two links and a PCIe switch. `mtu`: payload bytes of a packet of the NIC. Throws
/// std::invalid_argument (one line) if its latency is below least_pcie_path.
PcieLink pcie_path(const ClusterParams& params, const ClusterServer& server, unsigned mtu);
NicFetch::Config nic_fetch(const ClusterParams& params, unsigned mtu);

}  // namespace tributary
