#pragma once
/// What a topology file of NCCL lists: GPUs, NICs and the PCIe tree, before links between GPUs are counted.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/topology/server.h"
#include "platforms/topology/files/xml_document.h"

namespace tributary::topology {

/// A row <nvlink> or <xgmi> of a GPU.
struct NcclLinkRow {
  std::size_t line = 0;
  std::string target;  ///< bus id, small letters
  int count = 0;
  std::uint32_t target_class = 0;
};

struct NcclGpu {
  std::size_t line = 0;
  std::string bus;     ///< small letters
  bool told = false;   ///< by an element <gpu>, not by its PCI class alone
  int number = -1;     ///< dev
  int capability = 0;  ///< sm of NVIDIA's; 0: not known
  std::string gcn;     ///< of AMD's: its architecture; empty: it is none
  int on = 0;
  PcieLink up;
  std::vector<NcclLinkRow> rows;
};

/// An element <nvswitch>, which NCCL does not write: its links to other NVSwitches.
struct NcclSwitch {
  std::size_t line = 0;
  std::string bus, name;  ///< name: empty if the file gives none
  std::vector<NcclLinkRow> rows;
};

struct NcclNic {
  int on = 0;
  PcieLink up;
  std::uint64_t rate = 0;  ///< bytes/s; 0: not known
};

struct NcclDevices {
  std::size_t line = 0;        ///< of <system>
  std::vector<NcclGpu> gpus;   ///< in the order of their numbers
  std::vector<NcclNic> nics;   ///< in the order of the file
  std::vector<NcclSwitch> switches;  ///< in the order of the file
  std::vector<PcieNode> pcie;  ///< sockets first; nodes without GPU or NIC below are left out
  std::vector<std::string> notes;
};

/// Kinds of PCI classes, by their first digits.
enum class PciKind { bridge, nvswitch, processor, gpu, nic, other };
PciKind pci_kind(std::uint32_t pci_class);

/// Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`.
NcclDevices read_nccl_devices(const TopologyText& text);

}  // namespace tributary::topology
