#pragma once
/// Rates of links by the kinds of devices that files tell: raw, and those that NCCL and RCCL plan with.

#include <cstdint>
#include <string>

#include "platforms/topology/server.h"

namespace tributary::topology {

/// Of the wires, or the lower ones that NCCL and RCCL reckon with (src/graph/topo.h of both).
enum class RatesOf : std::uint8_t { wires, nccl };

/// Of an NVLink in each direction, by the compute capability (sm) of its GPU [unit: bytes/s]; 0: not known.
std::uint64_t nvlink_rate_of(int capability, RatesOf rates = RatesOf::wires);
/// The same of xGMI by the architecture as RCCL writes it: `908`, `910` (gfx90a), `gfx942`; 0: not known.
std::uint64_t xgmi_rate_of(const std::string& gcn, RatesOf rates = RatesOf::wires);
/// As NCCL reckons: lanes x 15, 30, 60 ... Mb/s of a generation / 80; an unknown speed is that of 8 GT/s, no width is 16
/// lanes [unit: bytes/s].
std::uint64_t nccl_pcie_rate(const PcieLink& link);
/// Between two processors, as NCCL reckons by <cpu> arch, vendor, familyid and modelid [unit: bytes/s].
std::uint64_t nccl_processor_rate(const std::string& arch, const std::string& vendor, int family, int model);

}  // namespace tributary::topology
