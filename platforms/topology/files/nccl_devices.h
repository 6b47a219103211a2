#pragma once
/// NcclDevices: the GPUs, NICs and PCIe tree that a topology file of NCCL lists, before links between GPUs are counted.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/topology/files/xml_document.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Bus id of NVSwitches that a virtual machine hides. All of them share it.
inline constexpr const char* hidden_switch = "fffffff:ff:ff.0";

/// A row <nvlink> or <xgmi> of a GPU.
struct NcclLinkRow {
  std::size_t line = 0;
  std::string target;  ///< bus id, lower case
  int count = 0;
  std::uint32_t target_class = 0;
};

struct NcclGpu {
  std::size_t line = 0;
  std::string bus;     ///< lower case
  bool told = false;   ///< true: described by an element <gpu>, not only by its PCI class
  int number = -1;     ///< dev
  int capability = 0;  ///< sm of an NVIDIA GPU; 0: unknown
  std::string gcn;     ///< architecture of an AMD GPU; empty: not an AMD GPU
  int on = 0;
  PcieLink up;
  std::vector<NcclLinkRow> rows;
};

/// An element <nvswitch> with its links to other NVSwitches. NCCL itself does not write this element.
struct NcclSwitch {
  std::size_t line = 0;
  std::string bus, name;  ///< name: empty if the file gives none
  std::vector<NcclLinkRow> rows;
};

struct NcclNic {
  int on = 0;
  PcieLink up;
  std::uint64_t rate = 0;  ///< bytes/s; 0: unknown
};

struct NcclDevices {
  std::size_t line = 0;              ///< line of <system>
  std::vector<NcclGpu> gpus;         ///< ordered by number
  std::vector<NcclNic> nics;         ///< in file order
  std::vector<NcclSwitch> switches;  ///< in file order
  std::vector<PcieNode> pcie;        ///< sockets first; nodes without a GPU or NIC below are left out
  std::vector<std::string> notes;
};

/// Kinds of PCI classes, by their first digits.
enum class PciKind { bridge, nvswitch, processor, gpu, nic, other };
PciKind pci_kind(std::uint32_t pci_class);

/// Reads the devices. Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`.
NcclDevices read_nccl_devices(const TopologyText& text);

}  // namespace tributary::topology
