#pragma once
/// NicChoice: the NICs of the GPUs of a server, by their distance on PCIe.

#include <string>
#include <vector>

#include "platforms/topology/server.h"

namespace tributary {

/// Rates in bytes per second and direction; 0: unknown.
struct NicChoice {
  std::vector<int> nic_of;  ///< NIC of each GPU; joined NICs have one number
  int nics = 0;
  int joined = 1;        ///< NICs of the server that are one here
  double nic_rate = 0;   ///< line rate of a NIC of the server
  double pcie_rate = 0;  ///< least rate between a GPU and its NICs
  double gpu_link = 0;   ///< least rate of a GPU's PCIe link
  double nic_link = 0;   ///< least rate of a NIC's PCIe link
  std::vector<std::string> notes;
};

/// NICs of the most frequent rate are used, so that NICs of other rates serve storage. A GPU uses the NIC with the fewest
/// PCIe links between them, then the one with the fewest GPUs, then the lowest number. Other NICs at the same distance from
/// the GPU are one NIC with it, if all GPUs have equally many.
NicChoice choose_nics(const topology::Server& server);
/// Divides `gpus` evenly among `nics` NICs with the links of `own`. Throws std::invalid_argument (one line) if they cannot
/// be divided.
NicChoice divide_nics(const NicChoice& own, int gpus, int nics);

}  // namespace tributary
