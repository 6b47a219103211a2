#pragma once
/// Link rates by kind of device: raw, and as NCCL and RCCL plan with them.

#include <cstdint>
#include <string>

#include "platforms/topology/server.h"

namespace tributary::topology {

/// Raw rate of the wires, or the lower rates that NCCL and RCCL plan with (src/graph/topo.h of both).
enum class RatesOf : std::uint8_t { wires, nccl };

/// Returns the rate of an NVLink per direction, by the compute capability (sm) of its GPU [unit: bytes/s]; 0: unknown.
std::uint64_t nvlink_rate_of(int capability, RatesOf rates = RatesOf::wires);
/// Returns the number of NVLinks that a GPU of a compute capability has; most_nvlinks if it is unknown.
int nvlinks_of(int capability);
/// Returns the rate of xGMI by the architecture in RCCL's notation: `908`, `910` (gfx90a), `gfx942`; 0: unknown.
std::uint64_t xgmi_rate_of(const std::string& gcn, RatesOf rates = RatesOf::wires);
/// Returns NCCL's estimate: lanes x 15, 30, 60 ... Mb/s of a generation / 80. An unknown speed counts as 8 GT/s, an
/// unknown width as 16 lanes [unit: bytes/s].
std::uint64_t nccl_pcie_rate(const PcieLink& link);
/// Returns NCCL's rate between two processors by <cpu> arch, vendor, familyid and modelid [unit: bytes/s].
std::uint64_t nccl_processor_rate(const std::string& arch, const std::string& vendor, int family, int model);

}  // namespace tributary::topology
