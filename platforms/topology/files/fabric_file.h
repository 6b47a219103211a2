#pragma once
/// Files of machines: what they are, told by their content, and the GPUs and NVSwitches that they describe.

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

// FILE is a path, and behind it how what the file does not say is completed (file_reading.h).

/// Of a regular file within the limits. Throws std::invalid_argument, one line.
TopologyFormat format_of_file(const std::string& file);
/// The same of its text.
TopologyFormat format_of_text(const std::string& text);

/// The server of a text of one of these formats but anynet; GPUs may have no way to each other. Throws
/// std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server server_of_text(const std::string& text, const FileReading& reading, TopologyFormat format);
/// The server of a file of these formats, in which NVLinks join all GPUs. Throws as the above, and as check_linked() does.
Server server_of_file(const std::string& file);

/// Whether NVSwitches join the GPUs of a file. Throws as its reader does.
bool is_fabric_file(const std::string& file);

struct FabricFile {
  SwitchLinks links;
  Bandwidth link_rate{};           ///< of each link; 0: the file does not say it
  std::vector<std::string> notes;  ///< what the file has and no model of ours, and what is assumed where it is silent
};
/// The NVSwitches of a server and what they join, completed where files are silent (fabric_completion.h). Throws std::invalid_argument, one line: GPUs joined directly, too.
FabricFile fabric_of(const Server& server);
FabricFile fabric_file(const std::string& file);

}  // namespace tributary::topology
