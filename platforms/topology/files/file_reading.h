#pragma once
/// What stands behind the name of a topology file: how what the file does not say is completed.

#include <string>
#include <vector>

#include "platforms/topology/files/link_rates.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// `FILE+fill_nvlink:hgx-h100+sm:90+rates:nccl+pcie:gen5x16`, each at most once and in any order.
struct FileReading {
  std::string path;
  std::string fill_nvlink;           ///< the machine whose NVLinks a PCIe tree gets: one of nvlink_machines(); empty: none
  int sm = 0;                        ///< compute capability in place of the file's; 0: that of the file
  RatesOf rates = RatesOf::wires;
  PcieLink pcie{};                   ///< of links whose speed or width the file does not say
};
/// Throws std::invalid_argument, one line.
FileReading file_reading(const std::string& text);

/// Keys of the above, as they stand in a name.
const std::vector<std::string>& file_reading_keys();
/// `hgx-h100` ...
std::vector<std::string> nvlink_machines();

/// Completes what the file has said. Throws std::invalid_argument, one line: links where there are some already, another
/// number of GPUs, an sm without known rate.
void complete(Server& server, const FileReading& reading);

/// Throws std::invalid_argument, one line that names a pair of GPUs which NVLinks do not join. With NVSwitches
/// switch_planes() tells that.
void check_linked(const Server& server);

}  // namespace tributary::topology
