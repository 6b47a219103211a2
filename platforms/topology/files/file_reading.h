#pragma once
/// FileReading: options after the name of a topology file that complete missing data.

#include <string>
#include <vector>

#include "platforms/topology/files/link_rates.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Parsed form of `FILE+fill_nvlink:hgx-h100+sm:90+rates:nccl+pcie:gen5x16`; each key at most once, in any order.
struct FileReading {
  std::string path;
  /// Machine whose NVLinks are added to a PCIe tree, one of nvlink_machines(); empty: none.
  std::string fill_nvlink;
  int sm = 0;  ///< compute capability that replaces the file's; 0: keep the file's
  RatesOf rates = RatesOf::wires;
  PcieLink pcie{};  ///< used for links whose speed or width is not given by the file
};
/// Parses the text. Throws std::invalid_argument (one line).
FileReading file_reading(const std::string& text);

/// Returns the keys, as they are spelled in a name.
const std::vector<std::string>& file_reading_keys();
/// Returns `hgx-h100` ...
std::vector<std::string> nvlink_machines();

/// Completes a server that was read from a file. Throws std::invalid_argument (one line): links that exist already, a
/// different number of GPUs, or an sm of unknown rate.
void complete(Server& server, const FileReading& reading);

/// Adds a note if NVLinks do not join all GPUs, or if GPUs differ in their links to NVSwitches. Throws TopologyError (one
/// line) if a GPU has links to GPUs and to NVSwitches.
void note_links(Server& server);

}  // namespace tributary::topology
