#pragma once
/// Reads machine files: detects the format by content, and extracts the GPUs and NVSwitches.

#include <string>
#include <vector>

#include "modules/base/units.h"
#include "platforms/topology/files/file_reading.h"
#include "platforms/topology/server.h"
#include "platforms/topology/switch_planes.h"

namespace tributary::topology {

enum class TopologyFormat {
  nccl,    ///< topology file of NCCL or RCCL: begins with `<`
  anynet,  ///< network of BookSim: its first word is `router` or `node`
  topo_m,  ///< text of nvidia-smi topo -m: everything else
};

/// Detects the format of a file by its contents.
TopologyFormat format_of_text(const std::string& bytes);

/// Returns the server that a text of any format but anynet describes; its GPUs may be disconnected. Throws
/// std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server server_of_text(const std::string& text, const FileReading& reading, TopologyFormat format);

/// True if the model of NVSwitches carries out the server of a file: NVSwitches join all GPUs, which have equal numbers of
/// links.
bool is_fabric(const Server& server);

struct FabricFile {
  SwitchLinks links;
  Bandwidth link_rate{};           ///< rate of each link; 0: not given by the file
  std::vector<std::string> notes;  ///< contents of the file that are not modelled, and assumptions about missing data
};
/// Returns the NVSwitches of a server and their links, completed by fabric_completion.h. Throws std::invalid_argument
/// (one line), for example if GPUs are also joined directly.
FabricFile fabric_of(const Server& server);

}  // namespace tributary::topology
