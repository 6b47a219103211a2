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

// FILE is a path, optionally followed by options that complete missing data (file_reading.h).

/// Detects the format of a regular file within the size limits. Throws std::invalid_argument (one line).
TopologyFormat format_of_file(const std::string& file);
/// Detects the format of a file's text.
TopologyFormat format_of_text(const std::string& text);

/// Returns the server that a text of any format but anynet describes; its GPUs may be disconnected. Throws
/// std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server server_of_text(const std::string& text, const FileReading& reading, TopologyFormat format);
/// Returns the server of a file whose GPUs are all joined by NVLinks. Throws as server_of_text() and check_linked() do.
Server server_of_file(const std::string& file);

/// True if NVSwitches join the GPUs of a file. Throws as its reader does.
bool is_fabric_file(const std::string& file);

struct FabricFile {
  SwitchLinks links;
  Bandwidth link_rate{};           ///< rate of each link; 0: not given by the file
  std::vector<std::string> notes;  ///< contents of the file that are not modelled, and assumptions about missing data
};
/// Returns the NVSwitches of a server and their links, completed by fabric_completion.h. Throws std::invalid_argument
/// (one line), for example if GPUs are also joined directly.
FabricFile fabric_of(const Server& server);
FabricFile fabric_file(const std::string& file);

}  // namespace tributary::topology
