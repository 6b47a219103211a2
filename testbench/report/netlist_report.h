#pragma once
/// What `tributary netlist` prints and writes (docs/netlist.md).

#include <string>
#include <vector>

#include "testbench/observe/netlist.h"

namespace tributary {

/// A tree, one line for each module, and below it one for each of its sockets: `>` calls, `<` is called.
std::string netlist_text(const std::vector<NetlistModule>& netlist);
std::string netlist_json(const std::string& platform, const std::vector<NetlistModule>& netlist);
/// For Graphviz: modules are boxes with a field for each socket, in clusters; an arrow leads from initiator to target.
std::string netlist_dot(const std::string& platform, const std::vector<NetlistModule>& netlist);

}  // namespace tributary
