#pragma once
/// Files of machines: what they are, told by their content, and the GPUs and NVSwitches that they describe.

#include <string>

#include "modules/base/units.h"
#include "platforms/topology/server.h"
#include "platforms/topology/switch_planes.h"

namespace tributary::topology {

enum class TopologyFormat {
  nccl,    ///< topology file of NCCL or RCCL: begins with `<`
  anynet,  ///< network of BookSim: its first word is `router` or `node`
  topo_m,  ///< text of nvidia-smi topo -m: everything else
};

/// Of a regular file within the limits. Throws std::invalid_argument, one line.
TopologyFormat format_of_file(const std::string& path);
/// The same of its text.
TopologyFormat format_of_text(const std::string& text);

/// The server of a file of these formats. Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server server_of_file(const std::string& path);

/// Whether NVSwitches join the GPUs of a file. Throws as its reader does.
bool is_fabric_file(const std::string& path);

struct FabricFile {
  SwitchLinks links;
  Bandwidth link_rate{};  ///< of each link; 0: the file does not say it
};
/// The NVSwitches of a server and what they join. Throws std::invalid_argument, one line: GPUs joined directly, too.
FabricFile fabric_of(const Server& server);
FabricFile fabric_file(const std::string& path);

}  // namespace tributary::topology
