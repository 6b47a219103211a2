#pragma once
/// Times of a NIC whose PCIe link is simulated.

#include "modules/gpu/gpu_params.h"
#include "modules/pcie/pcie_link.h"
#include "modules/roce/roce_params.h"

namespace tributary {

/// Calibrated latencies of a NIC contain PCIe. Returns what remains of them: of `tx_latency` after a work request, a read of
/// 64 B from the GPU's memory and its answer, of `rx_latency` after a payload of 64 B, of `completion_latency` after a
/// report; each at least 100 ns (docs/systems/cluster.md#nic-times).
RoceParams nic_after_pcie(const RoceParams& calibrated, const PcieLink& link, const MemoryParams& memory);

}  // namespace tributary
